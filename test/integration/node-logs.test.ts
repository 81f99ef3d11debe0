import { AdminBrowser as Browser, PASSWORD } from '../support/admin-browser.js';
import { Installation } from '../support/installation.js';
import { waitFor } from '../support/wait-for.js';

const PAGES = ['/openapi/v1/openapi.json', '/openapi/docs', '/openapi/problems/not_found', '/api/openapi.json'];

describe('the log of a node', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await Installation.create('embedded');
  }, 120_000);
  afterAll(() => installation?.remove());

  const written = async (id: string, msg: string) => {
    const { process } = installation.node(id);
    await waitFor(`the log says: ${msg}`, () => process.output.some((line) => line.includes(`"msg":"${msg}"`)));
  };

  it('goes on after anybody has read the documents, however many read them at once', async () => {
    const { url } = await installation.startNode('n1', { EVENKEEL_ADMIN_PASSWORD: PASSWORD });
    const browser = new Browser(url);
    expect((await browser.post('/api/session', { username: 'admin', password: PASSWORD })).status).toBe(200);
    const answers = await Promise.all([...PAGES, ...PAGES].map((path) => browser.get(path)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const worker = await installation.startWorker({ id: 'w1' });
    await written('n1', 'worker registered');
    await browser.get('/openapi/v1/openapi.json');
    expect(await worker.stop()).toBe(0);
    await written('n1', 'worker deregistered');
  }, 120_000);
});

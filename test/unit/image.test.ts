import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

describe('the image', () => {
  it('is built from every workspace: its package before the install, its sources before the build', () => {
    const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] };
    const lines = read('docker/Dockerfile').split('\n');
    const place = (start: string) => lines.findIndex((line) => line.startsWith(start));
    expect(workspaces.length).toBeGreaterThan(0);
    for (const name of workspaces) {
      const order = [`COPY ${name}/package.json`, 'RUN npm ci', `COPY ${name} `, 'RUN npm run build'].map(place);
      expect([name, order]).toEqual([name, order.toSorted((a, b) => a - b)]);
      expect([name, order.includes(-1)]).toEqual([name, false]);
    }
  });
});

import { type Face, startFace } from './support/face.js';

let face: Face;
beforeAll(async () => {
  face = await startFace();
});
afterAll(() => face.close());

describe('a partner submits a task', () => {
  it('gets 202, a receipt and the place of the task once it is stored', async () => {
    const answer = await face.post('/openapi/v1/tasks', { handler: 'echo', params: { a: 1 }, clientRequestId: 'order-1' });
    expect(answer).toMatchObject({
      status: 202,
      json: { handler: 'echo', group: 'default', status: 'PENDING', clientRequestId: 'order-1' },
    });
    expect(answer.headers.location).toBe(`/openapi/v1/tasks/${answer.json.id}`);
    expect(answer.headers['x-request-id']).toMatch(/^req_[0-9A-Z]{26}$/);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers.ratelimit).toMatch(/^"requests";r=\d+;t=\d+, "tasks";r=\d+;t=\d+$/);
    expect(face.tasks.stored).toHaveLength(1);
  });
});

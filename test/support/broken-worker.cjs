// A worker that gets nearly everything wrong and yet seems to work: it verifies nothing, remembers nothing, reports once.
const { createServer, request } = require('node:http');
const { createHash, createHmac, randomUUID } = require('node:crypto');

const { EVENKEEL_URL, EVENKEEL_WORKER_KEY: key, EVENKEEL_WORKER_SECRET: secret } = process.env;
const identity = { workerId: 'broken', incarnation: '01J00000000000000000000000' };
const attempts = new Map();
const seq = 7;

function post(route, content) {
  const body = JSON.stringify(content);
  const path = `/worker/v1/${route}`;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const nonce = randomUUID();
  const hash = createHash('sha256').update(body).digest('hex');
  const text = ['EK1-HMAC-SHA256', key, timestamp, nonce, 'POST', path, '', hash].join('\n');
  const signature = `v1=${createHmac('sha256', secret).update(text).digest('hex')}`;
  const headers = { 'x-ek-access-key': key, 'x-ek-timestamp': timestamp, 'x-ek-nonce': nonce, 'x-ek-signature': signature };
  return new Promise((resolve) => {
    const sent = request(EVENKEEL_URL + path, { method: 'POST', headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    });
    sent.on('error', () => resolve(0));
    sent.end(body);
  });
}

function take({ tasks = [] }) {
  const results = tasks.map(({ taskId, lease, handler, params }) => {
    const report = (outcome) => {
      attempts.delete(taskId);
      post('results', {
        ...identity,
        results: [{ taskId, lease, outcome, result: params, startedAt: Date.now(), endedAt: Date.now() }],
      });
    };
    const timer = setTimeout(() => report('succeeded'), handler === 'sleep' ? params.ms : 10);
    attempts.set(taskId, { report, timer });
    return { taskId, lease, outcome: 'accepted' };
  });
  return { results, seq, active: 0, queued: 0, freeSlots: 4 };
}

function cancel({ tasks }) {
  return {
    results: tasks.map(({ taskId, lease }) => {
      const attempt = attempts.get(taskId);
      clearTimeout(attempt?.timer);
      attempt?.report('failed');
      return { taskId, lease, outcome: 'finished' };
    }),
  };
}

const server = createServer((incoming, response) => {
  let body = '';
  incoming.on('data', (chunk) => (body += chunk));
  incoming.on('end', () => {
    let answer = { ...identity, state: 'ready', attempts: [] };
    try {
      if (incoming.url === '/run') answer = take(JSON.parse(body));
      if (incoming.url === '/cancel') answer = cancel(JSON.parse(body));
    } catch {
      response.statusCode = 500;
    }
    response.end(JSON.stringify(answer));
  });
});
server.listen(0, '127.0.0.1', async () => {
  const urls = [`http://127.0.0.1:${server.address().port}`];
  const offer = {
    groups: ['default'],
    urls,
    handlers: [{ name: 'echo' }, { name: 'sleep' }],
    slots: 4,
    sdk: 'broken',
    unreported: [],
  };
  while ((await post('register', { ...identity, ...offer })) !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
  const figures = { seq, active: 0, queued: 0, freeSlots: 4, avgCostMs: '0', cpuIdlePercent: 100 };
  setInterval(() => post('heartbeat', { ...identity, state: 'ready', sentAt: Date.now(), ...figures, attempts: [] }), 1000);
});

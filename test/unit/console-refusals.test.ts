import { PROBLEM_CODES } from '@evenkeel/sdk/contract';
import { AppError } from '../../src/platform/errors.js';
import { renderProblem } from '../../src/platform/http/problem.js';
import { PROBLEM_REASONS, type ProblemReason } from '../../src/platform/problem-reasons.js';

type Language = 'zh-CN' | 'en';
// What a client of the API needs of a page.
Object.assign(globalThis, { document: { baseURI: 'http://centre/' } });
/** The console is compiled by rules of its own, which the tests' compiler does not know. */
const { ApiError } = jest.requireActual<{
  ApiError: new (
    status: number,
    code: string,
    detail: string,
    requestId: null,
    errors: object[],
    members: object,
    retryAfter: null,
  ) => Error;
}>('../../console/src/api/client');
const { failureText, problemDetail } = jest.requireActual<{
  failureText: (error: unknown, language: Language) => string;
  problemDetail: (error: unknown, language: Language) => string | null;
}>('../../console/src/lib/field-errors');
const { PROBLEM_REASONS_ZH } = jest.requireActual<{ PROBLEM_REASONS_ZH: Record<string, string> }>(
  '../../console/src/i18n/problem-reasons',
);
const { CATALOGUES } = jest.requireActual<{ CATALOGUES: Record<Language, Record<string, string>> }>(
  '../../console/src/i18n/areas',
);
const { rejectionText } = jest.requireActual<{
  rejectionText: (rejected: { code: string; detail: string }, language: Language) => string;
}>('../../console/src/features/keys/rejection-words');

const CHINESE = /\p{Script=Han}/u;
/** As the console gets it. */
function refused(error: AppError) {
  const { body } = renderProblem(error, { requestId: 'r', target: '/api/x' });
  return new ApiError(body.status, body.code, body.detail, null, body.errors ?? [], body, null);
}
const values = (sentence: string) => [...sentence.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);

describe('a refusal is told', () => {
  it.each(PROBLEM_CODES)('in the language of the console: %s', (code) => {
    const error = refused(new AppError(code, 'as the server says'));
    const chinese = failureText(error, 'zh-CN');
    expect(chinese).toMatch(CHINESE);
    expect(chinese).not.toContain('as the server says');
    expect(failureText(error, 'en')).not.toMatch(CHINESE);
  });

  it.each(Object.keys(PROBLEM_REASONS) as ProblemReason[])('by its reason, with the values it tells: %s', (reason) => {
    const [sentence, words] = [PROBLEM_REASONS[reason], PROBLEM_REASONS_ZH[reason] ?? ''];
    expect(values(sentence).sort()).toEqual(values(words).sort());
    const params = Object.fromEntries(values(sentence).map((name, i) => [name, `v${i}`]));
    const error = refused(AppError.because('state_conflict', reason, params));
    const chinese = problemDetail(error, 'zh-CN') ?? '';
    expect(chinese).toMatch(CHINESE);
    for (const value of Object.values(params)) expect(chinese).toContain(value);
    expect(problemDetail(error, 'en')).not.toMatch(/\{\w+\}|\p{Script=Han}/u);
  });

  it('by no words for a reason there is none of', () => {
    expect(Object.keys(PROBLEM_REASONS_ZH).sort()).toEqual(Object.keys(PROBLEM_REASONS).sort());
  });

  it.each<[ProblemReason, Record<string, string | number>, Record<string, unknown>, string]>([
    ['stop_not_due', { waitMs: 65_000 }, {}, '执行节点还有 1 分 5 秒 可以停止它，之后才能强制结束'],
    ['task_not_retried', { state: 'RUNNING' }, {}, '任务的状态是“运行中”：只有失败、超时或已取消的可以重试'],
    ['key_not_rotated', { keyState: 'disabled' }, {}, '密钥已停用，没有请求用它签名，无需轮换'],
    ['endpoint_not_enabled', { endpointState: 'PENDING' }, {}, '端点等待验证，收不到任何内容：请先启用'],
    ['bulk_state', { bulkState: 'done' }, {}, '该批量操作已完成'],
    ['circle', {}, { path: ['a', 'b', 'a'] }, '作业互相等待：a → b → a'],
  ])('with codes and lengths of time in words: %s', (reason, params, members, text) => {
    expect(problemDetail(refused(AppError.because('state_conflict', reason, params, { members })), 'zh-CN')).toBe(text);
  });

  it('by its status, where a proxy answered', () => {
    const error = new ApiError(502, 'http_502', 'Bad Gateway', null, [], {}, null);
    expect(failureText(error, 'zh-CN')).toBe('服务器或前面的代理答复了 HTTP 502');
    expect(failureText(error, 'en')).toBe('The server, or a proxy in front of it, answered HTTP 502');
  });
});

describe('a request of a partner that was rejected is explained', () => {
  const codes = Object.keys(CATALOGUES.en).flatMap((key) => key.match(/^rejection\.(.+)$/)?.[1] ?? []);

  it.each(codes)('in the language of the console: %s', (code) => {
    expect(rejectionText({ code, detail: 'as the server says' }, 'zh-CN')).toMatch(CHINESE);
    expect(rejectionText({ code, detail: 'as the server says' }, 'zh-CN')).not.toContain('as the server says');
    expect(rejectionText({ code, detail: 'as the server says' }, 'en')).toBe('as the server says');
  });

  it.each([
    ['auth_missing', 'missing: X-EK-Nonce, X-EK-Signature', '缺少请求头：X-EK-Nonce、X-EK-Signature'],
    ['insufficient_scope', 'the access key lacks the scope tasks:write', '密钥的权限范围或分组不允许此请求：tasks:write'],
    ['rate_limited', 'the limit "requests" is reached', '达到合作方或密钥的限流：requests'],
    ['key_disabled', 'the access key is disabled', '密钥已停用，重新启用前一律拒绝'],
  ])('with the names it tells: %s', (code, detail, text) => {
    expect(rejectionText({ code, detail }, 'zh-CN')).toBe(text);
  });
});

import { createHash } from 'node:crypto';

type Language = 'en' | 'zh-CN';

const TEXT: Record<Language, Record<'title' | 'what' | 'console' | 'here' | 'docs' | 'document' | 'ready' | 'first', string>> = {
  en: {
    title: 'Evenkeel is running',
    what: 'This is a node of a distributed job scheduler. It decides what is due and which worker runs it.',
    console: 'The web console was not built here (npm run build builds it); the commands and the API do the same.',
    here: 'Here',
    docs: 'API page',
    document: 'API document (OpenAPI)',
    ready: 'Readiness of this node',
    first: 'First task, from the folder the quick start runs in:',
  },
  'zh-CN': {
    title: 'Evenkeel 正在运行',
    what: '这是分布式任务调度系统的一个调度节点：它决定哪些任务到期、由哪个执行节点运行。',
    console: '此处没有构建网页控制台（npm run build 可构建），请使用命令行和 API。',
    here: '入口',
    docs: 'API 页面',
    document: 'API 文档（OpenAPI）',
    ready: '本节点就绪状态',
    first: '在快速启动所在目录提交第一个任务：',
  },
};

const STYLE =
  ':root{color-scheme:light dark}body{font:16px/1.6 system-ui,sans-serif;max-width:40rem;margin:12vh auto;padding:0 1.5rem;background:#fff;color:#1c2330}' +
  'a{color:#0b5cad}code{display:block;overflow-x:auto;padding:.75rem 1rem;border-radius:.4rem;background:#f0f2f5;white-space:pre}' +
  '@media(prefers-color-scheme:dark){body{background:#14181f;color:#e3e7ee}a{color:#7db8f5}code{background:#222833}}';

/** Allows the one style above and nothing else: no script, no image, no frame, no form. */
export const LANDING_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const LINKS = [
  ['/openapi/docs', 'docs'],
  ['/openapi/v1/openapi.json', 'document'],
  ['/readyz', 'ready'],
] as const;

/** The whole page. Links to nothing this node does not serve. */
export function landingPage(language: Language, serves: (path: string) => boolean): string {
  const text = TEXT[language];
  const links = LINKS.filter(([path]) => serves(path)).map(([path, name]) => `<li><a href="${path}">${text[name]}</a>`);
  return [
    `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">`,
    `<title>${text.title}</title><style>${STYLE}</style>`,
    `<main><h1>${text.title}</h1><p>${text.what}</p><p>${text.console}</p>`,
    `<h2>${text.here}</h2><ul>${links.join('')}</ul>`,
    `<p>${text.first}</p><code>npx evenkeel submit echo --params '{"hello":"world"}' --wait</code></main></html>\n`,
  ].join('\n');
}

/** The first of the two languages the browser asks for; English for everybody else. */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  const wanted = (acceptLanguage ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';');
      const quality = parameters.map((parameter) => /^\s*q=([\d.]+)/.exec(parameter)?.[1]).find(Boolean);
      return { tag, quality: Number(quality ?? 1) };
    })
    .filter(({ tag, quality }) => /^(zh|en)\b/.test(tag) && quality > 0)
    .sort((a, b) => b.quality - a.quality);
  return wanted[0]?.tag.startsWith('zh') ? 'zh-CN' : 'en';
}

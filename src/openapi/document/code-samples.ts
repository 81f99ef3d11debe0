type Node = Record<string, unknown>;
interface Sample {
  lang: string;
  label: string;
  source: string;
}

/** Files of examples/signing, served beside the page; the tests run each of them. */
export const SAMPLE_FILES: Readonly<Record<string, string>> = {
  'ek1.sh': 'text/plain; charset=utf-8',
  'ek1.mjs': 'text/plain; charset=utf-8',
  'ek1.py': 'text/plain; charset=utf-8',
  'Ek1.java': 'text/plain; charset=utf-8',
  'ek1.go': 'text/plain; charset=utf-8',
};

const singleQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const SAMPLES: readonly ((method: string, target: string, body: string) => Sample)[] = [
  (method, target, body) => ({
    lang: 'Shell',
    label: 'curl',
    source: `# ek1.sh is at /openapi/docs/ek1.sh\nsh ek1.sh ${method} ${singleQuoted(target)}${body && ` ${singleQuoted(body)}`}\n`,
  }),
  (method, target, body) => ({
    lang: 'JavaScript',
    label: 'Node',
    source: `// ek1.mjs is at /openapi/docs/ek1.mjs\nimport { request } from './ek1.mjs';\n\nconst { status, text } = await request(${literals(method, target, body)});\nconsole.log(status, text);\n`,
  }),
  (method, target, body) => ({
    lang: 'Python',
    label: 'Python',
    source: `# ek1.py is at /openapi/docs/ek1.py\nfrom ek1 import request\n\nstatus, text = request(${literals(method, target, body)})\nprint(status, text)\n`,
  }),
  (method, target, body) => ({
    lang: 'Java',
    label: 'Java',
    source: `// Ek1.java is at /openapi/docs/Ek1.java\nString text = Ek1.request(${[method, target, body].map((part) => JSON.stringify(part)).join(', ')});\nSystem.out.println(text);\n`,
  }),
  (method, target, body) => ({
    lang: 'Go',
    label: 'Go',
    source: `// ek1.go is at /openapi/docs/ek1.go\nstatus, text, err := Request(${[method, target, body].map((part) => JSON.stringify(part)).join(', ')})\nfmt.Println(status, text, err)\n`,
  }),
];

/** JSON strings are string literals of JavaScript and Python alike. */
const literals = (...parts: string[]): string =>
  parts
    .filter((part, at) => at < 2 || part !== '')
    .map((part) => JSON.stringify(part))
    .join(', ');

/** One call of the operation in each language, made from its first example. */
export function codeSamples(method: string, path: string, operation: Node): Sample[] {
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) => exampleOf(operation, name));
  const body = bodyOf(operation);
  return SAMPLES.map((sample) => sample(method.toUpperCase(), target, body));
}

function exampleOf(operation: Node, name: string): string {
  const parameters = (operation.parameters ?? []) as { name: string; example?: unknown; schema?: { example?: unknown } }[];
  const parameter = parameters.find((candidate) => candidate.name === name);
  return String(parameter?.example ?? parameter?.schema?.example ?? name);
}

function bodyOf(operation: Node): string {
  const content = (operation.requestBody as { content?: Record<string, { examples?: Record<string, { value: unknown }> }> })
    ?.content?.['application/json'];
  const [first] = Object.values(content?.examples ?? {});
  return first ? JSON.stringify(first.value) : '';
}

import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import fc from 'fast-check';

// biome-ignore lint/suspicious/noExplicitAny: a document is looked into from every side
export type Node = Record<string, any>;
export interface Operation {
  id: string;
  method: string;
  path: string;
  node: Node;
}

/** An OpenAPI 3.1 document as tests use it: its operations, values its schemas describe, and whether an answer is as documented. */
export class OpenApiDocument {
  readonly operations: Operation[];
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  private readonly validators = new Map<string, ValidateFunction>();

  constructor(private readonly document: Node) {
    addFormats(this.ajv);
    this.ajv.addSchema(closed(document) as Node, 'document');
    this.operations = Object.entries(document.paths as Node).flatMap(([path, item]) =>
      Object.entries(item as Node).map(([method, node]) => ({ id: node.operationId, method: method.toUpperCase(), path, node })),
    );
  }

  /** What is wrong with an answer, by the document; empty if nothing is. */
  complaints({ method, path, node }: Operation, status: number, contentType: string, body: unknown): string[] {
    const response = node.responses[status];
    if (!response) return [`${status} is not documented`];
    const place = response.$ref
      ? (response.$ref as string).slice(1)
      : `/paths/${token(path)}/${method.toLowerCase()}/responses/${status}`;
    const content = this.resolve(response).content as Node | undefined;
    if (!content) return body === undefined ? [] : ['a body is not documented'];
    const type = contentType.split(';', 1)[0] as string;
    if (!content[type]) return [`${type} is not documented`];
    const code = type === 'application/problem+json' ? (body as Node).code : undefined;
    if (code !== undefined && !Object.hasOwn(content[type].examples, code)) return [`${code} is not documented`];
    const validate = this.validator(`document#${place}/content/${token(type)}/schema`);
    return validate(body)
      ? []
      : (validate.errors ?? []).map(
          ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
        );
  }

  /** As `complaints`, for a value and a schema at a JSON pointer of the document. */
  mismatches(pointer: string, value: unknown): string[] {
    const validate = this.validator(`document#${pointer}`);
    return validate(value) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  }

  resolve(node: Node): Node {
    if (typeof node.$ref !== 'string') return node;
    return node.$ref
      .slice(2)
      .split('/')
      .reduce((at: Node, name: string) => at[name], this.document) as Node;
  }

  /** Values the schema describes; half of what states an example is that example, so that more than the form is right. */
  arbitrary(given: Node, depth = 0): fc.Arbitrary<unknown> {
    const schema = this.resolve(given);
    const plain = this.plain(schema, depth);
    return schema.example === undefined ? plain : fc.oneof(fc.constant(schema.example as unknown), plain);
  }

  private plain(schema: Node, depth: number): fc.Arbitrary<unknown> {
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...(schema.enum as unknown[]));
    const choices = (schema.oneOf ?? schema.anyOf) as Node[] | undefined;
    if (choices) return fc.oneof(...choices.map((choice) => this.arbitrary(choice, depth + 1)));
    if (schema.allOf)
      return fc
        .tuple(...(schema.allOf as Node[]).map((part) => this.arbitrary(part, depth + 1)))
        .map((parts) => Object.assign({}, ...parts));
    if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type: string) => this.plain({ ...schema, type }, depth)));
    switch (schema.type) {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'integer':
        return fc.integer({ min: bounded(schema.minimum ?? 0), max: bounded(schema.maximum ?? 1_000_000) });
      case 'number':
        return fc.double({ min: schema.minimum ?? 0, max: schema.maximum ?? 1e6, noNaN: true });
      case 'string':
        return text(schema);
      case 'array':
        return fc.array(this.arbitrary(schema.items ?? {}, depth + 1), {
          minLength: schema.minItems ?? 0,
          maxLength: Math.max(schema.minItems ?? 0, Math.min(schema.maxItems ?? 3, 3)),
        });
      case 'object':
        return this.object(schema, depth);
      default:
        return fc.jsonValue({ maxDepth: 2 });
    }
  }

  private object(schema: Node, depth: number): fc.Arbitrary<unknown> {
    if (!schema.properties)
      return fc.dictionary(
        fc.string({ minLength: 1, maxLength: 8 }),
        this.arbitrary(schema.additionalProperties || {}, depth + 1),
        { maxKeys: 3 },
      );
    const properties = Object.entries(schema.properties as Node);
    const requiredKeys = (schema.required ?? []) as string[];
    const shown = depth > 4 ? properties.filter(([name]) => requiredKeys.includes(name)) : properties;
    return fc.record(Object.fromEntries(shown.map(([name, property]) => [name, this.arbitrary(property, depth + 1)])), {
      requiredKeys: requiredKeys.filter((name) => schema.properties[name]),
      noNullPrototype: true,
    });
  }

  private validator(place: string): ValidateFunction {
    const known = this.validators.get(place) ?? this.ajv.compile({ $ref: place });
    this.validators.set(place, known);
    return known;
  }
}

const bounded = (value: number): number => Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, value));
const token = (text: string): string => encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));

function text({ format, pattern, minLength = 0, maxLength = 40 }: Node): fc.Arbitrary<string> {
  if (format === 'date-time')
    return fc
      .date({ min: new Date('2025-01-01'), max: new Date('2027-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString());
  if (pattern) return fc.stringMatching(new RegExp(pattern, 'u'));
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, Math.max(minLength, 40)) });
}

/** Answers may hold what is documented and nothing else: an object that names its members is closed, but for problems, which extend. */
function closed(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((member) => closed(member));
  if (typeof value !== 'object' || value === null) return value;
  const node = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, closed(member, key)])) as Node;
  const names = typeof node.properties === 'object' && node.type === 'object' && node.additionalProperties === undefined;
  return names && name !== 'ProblemDto' ? { ...node, additionalProperties: false } : node;
}

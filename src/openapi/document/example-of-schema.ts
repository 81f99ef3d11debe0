type Node = Record<string, unknown>;

const DEEPEST = 6;

/** A value the schema describes, made of the examples its parts state; what states none gets the plainest value of its type. */
export function exampleOfSchema(schema: Node, schemas: Readonly<Record<string, Node>>, depth = 0): unknown {
  if (schema.example !== undefined) return schema.example;
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (typeof schema.$ref === 'string')
    return exampleOfSchema(schemas[schema.$ref.split('/').at(-1) as string] ?? {}, schemas, depth);
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const choices = (schema.oneOf ?? schema.anyOf) as Node[] | undefined;
  if (choices) return choices.some(({ type }) => type === 'null') ? null : exampleOfSchema(choices[0] as Node, schemas, depth);
  if (Array.isArray(schema.type))
    return schema.type.includes('null') ? null : plainOf({ ...schema, type: schema.type[0] }, schemas, depth);
  return plainOf(schema, schemas, depth);
}

function plainOf(schema: Node, schemas: Readonly<Record<string, Node>>, depth: number): unknown {
  switch (schema.type) {
    case 'object': {
      const required = new Set(schema.required as string[] | undefined);
      const properties = Object.entries((schema.properties ?? {}) as Record<string, Node>);
      const shown = properties.filter(([name, property]) => required.has(name) || property.example !== undefined);
      return Object.fromEntries(shown.map(([name, property]) => [name, exampleOfSchema(property, schemas, depth + 1)]));
    }
    case 'array':
      return depth < DEEPEST ? [exampleOfSchema((schema.items ?? {}) as Node, schemas, depth + 1)] : [];
    case 'string':
      return schema.format === 'date-time' ? '2026-01-01T00:00:00.000Z' : 'text';
    case 'integer':
    case 'number':
      return Math.max(0, (schema.minimum as number | undefined) ?? 0);
    case 'boolean':
      return false;
    default:
      return null;
  }
}

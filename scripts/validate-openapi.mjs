// Reads an OpenAPI document from standard input and prints `{valid, errors?}`. Works offline; a process of its own because the validator is ESM only.
import { text } from 'node:stream/consumers';
import { Validator } from '@seriousme/openapi-schema-validator';

const { valid, errors } = await new Validator().validate(JSON.parse(await text(process.stdin)));
console.log(JSON.stringify({ valid, errors }));

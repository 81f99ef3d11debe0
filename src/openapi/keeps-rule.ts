import { ValidateBy } from 'class-validator';
import { checkField } from '../decisions/check-submission.js';

/** Applies the rule of the field `name` of a submission. The rules live in one table; a DTO only points at them. */
export const KeepsRule = (name: string): PropertyDecorator =>
  ValidateBy({
    name: 'keepsRule',
    validator: {
      validate: (value: unknown) => checkField(name, value).length === 0,
      defaultMessage: (args) => checkField(name, args?.value)[0]?.message ?? '',
    },
  });

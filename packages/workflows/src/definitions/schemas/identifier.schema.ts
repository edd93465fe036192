import { checkedText } from './checked-text.schema.ts';

const lengthMax = 64;

/** Words reserved by CEL. */
const reserved = new Set(
  (
    'as break const continue else false for function if import in let loop namespace null package prototype ' +
    'return true var void while'
  ).split(' '),
);

/** The name of an input or a step, as an expression can write it: `inputs.<name>`. */
export const Identifier = checkedText(problemOf).meta({
  pattern: '^[A-Za-z_][A-Za-z0-9_]*$',
  maxLength: lengthMax,
});

function problemOf(name: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name.length > lengthMax)
    return `May contain only letters, digits and _ (at most ${lengthMax}), and must begin with a letter or _.`;
  // Every object inherits such a name, so it would exist without being declared.
  return reserved.has(name) || name in {} ? 'This name is reserved.' : undefined;
}

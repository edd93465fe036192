import type { ASTNode } from '@marcbachmann/cel-js';
import { isAccess } from '../evaluation/access.ts';
import { didYouMean } from '@relata/schemas/errors';
import type { ExpressionProblem } from '../expression.error.ts';
import type { Names } from './names.ts';

/** A reference like `steps.x`, `inputs.x` or `secrets.x`. */
interface MemberOfRoot {
  readonly root: 'steps' | 'inputs' | 'secrets';
  readonly name: string;
}

const roots: ReadonlySet<unknown> = new Set<MemberOfRoot['root']>(['steps', 'inputs', 'secrets']);

/**
 * Returns the step, input or secret to which a node refers. Returns undefined if it refers to none, or if its root is
 * the item of the enclosing comprehension.
 */
export function memberOfRoot(node: ASTNode, item: string | undefined): MemberOfRoot | undefined {
  if (!isAccess(node) || node.args[0].op !== 'id') return undefined;
  const root = node.args[0].args;
  if (!roots.has(root) || root === item) return undefined;
  const name = writtenKey(node);
  return typeof name === 'string' ? { root: root as MemberOfRoot['root'], name } : undefined;
}

/** Returns the key of a member access if it is a literal; undefined if it is computed. */
function writtenKey(node: Extract<ASTNode, { op: '.' | '[]' }>): string | number | undefined {
  if (node.op === '.') return node.args[1];
  const [, key] = node.args;
  if (key.op !== 'value') return undefined;
  if (typeof key.args === 'bigint') return Number(key.args);
  return typeof key.args === 'string' || typeof key.args === 'number' ? key.args : undefined;
}

export function checkMemberOfRoot({ root, name }: MemberOfRoot, names: Names): ExpressionProblem | undefined {
  if (root === 'secrets') return checkSecret(name);
  return root === 'steps' ? checkStep(name, names) : checkInput(name, names);
}

/** Names that `relata secrets set` accepts. */
const secretName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

function checkSecret(name: string): ExpressionProblem | undefined {
  if (secretName.test(name)) return undefined;
  return {
    message:
      'The name of a secret may contain only letters, digits and _ (at most 64), and must begin with a letter or _.',
  };
}

function checkInput(name: string, { inputs }: Names): ExpressionProblem | undefined {
  if (inputs === undefined || inputs.has(name)) return undefined;
  const hint = didYouMean(name, inputs) ?? 'Declare it under inputs.';
  return { message: `The workflow has no input ${name}.`, hint };
}

function checkStep(id: string, { steps, allSteps }: Names): ExpressionProblem | undefined {
  if (steps.has(id)) return undefined;
  if (allSteps.has(id)) return { message: `The step ${id} has no output yet, or is not in scope here.` };
  return { message: `There is no step ${id}.`, hint: didYouMean(id, steps.keys()) };
}

/**
 * Returns a problem if a step's output, or a fact like `run`, cannot have the requested member. Members of that member
 * are not checked.
 */
export function checkField(node: ASTNode, names: Names, item: string | undefined): ExpressionProblem | undefined {
  const key = isAccess(node) ? writtenKey(node) : undefined;
  if (!isAccess(node) || key === undefined) return undefined;
  const [of] = node.args;
  if (of.op === 'call' && of.args[0] === 'name_parts') return checkKey('The result of name_parts()', key, nameParts);
  if (of.op === 'id') return of.args === item ? undefined : checkFact(of.args, key, names);
  const member = memberOfRoot(of, item);
  return member?.root === 'steps' ? checkOutput(member.name, key, names) : undefined;
}

const nameParts: ReadonlySet<string> = new Set(['first', 'last']);

function checkFact(name: string, key: string | number, { roots, facts }: Names): ExpressionProblem | undefined {
  const members = roots.has(name) ? facts.get(name) : undefined;
  return members === undefined ? undefined : checkKey(name, key, members);
}

function checkOutput(id: string, key: string | number, { steps }: Names): ExpressionProblem | undefined {
  const output = steps.get(id);
  if (output === undefined) return undefined;
  if (output !== 'list') return checkKey(`The output of the step ${id}`, key, output);
  if (typeof key === 'number') return undefined;
  const message = `The output of the step ${id} is a list and has no field ${key}.`;
  return { message, hint: `Select an item first, like steps.${id}[0].` };
}

/** Maximum number of names that a hint lists. */
const listedMax = 8;

function checkKey(owner: string, key: string | number, known: ReadonlySet<string>): ExpressionProblem | undefined {
  const name = String(key);
  if (typeof key === 'string' && known.has(name)) return undefined;
  const listed = known.size > listedMax ? undefined : `Available: ${[...known].join(', ')}.`;
  return { message: `${owner} has no field ${name}.`, hint: didYouMean(name, known) ?? listed };
}

import type { ASTNode } from '@marcbachmann/cel-js';
import { isAccess } from '../evaluation/access.ts';
import { childNodes } from './check-types.ts';
import { checkField, checkMemberOfRoot, memberOfRoot } from './check-members.ts';
import { didYouMean } from '@relata/schemas/errors';
import { comprehensionNames, asComprehension, readItemName } from '../evaluation/comprehension.ts';
import { functions } from '../evaluation/conversion-functions.ts';
import { methods } from '../evaluation/compile-node.ts';
import type { ExpressionProblem } from '../expression.error.ts';
import type { Names } from './names.ts';
import { isInt64 } from '../evaluation/value.ts';

/** Maximum depth of an expression's tree, with nested operators. It limits the recursion of code that walks it. */
const depthMax = 120;
const literalDepthMax = 8;

interface Walk {
  readonly names: Names;
  readonly problems: ExpressionProblem[];
  readonly roots: Set<string>;
  readonly secrets: Set<string>;
}

interface Place {
  readonly depth: number;
  readonly literalDepth: number;
  /** Name of the enclosing comprehension's item. */
  readonly item: string | undefined;
}

/** Checks the names and calls of an expression. Returns all problems, and the root names and secrets that it uses. */
export function checkNames(node: ASTNode, names: Names): Pick<Walk, 'problems' | 'roots' | 'secrets'> {
  const walk: Walk = { names, problems: [], roots: new Set(), secrets: new Set() };
  visit(node, walk, { depth: 0, literalDepth: 0, item: undefined });
  return walk;
}

function visit(node: ASTNode, walk: Walk, place: Place): void {
  const problem = checkNode(node, walk, place);
  if (problem !== undefined) walk.problems.push(problem);
  if (place.depth === depthMax) return;
  const inside = { ...place, depth: place.depth + 1 };
  if (node.op === 'list' || node.op === 'map') inside.literalDepth++;
  const comprehension = asComprehension(node);
  if (comprehension !== undefined) {
    const [, receiver, parts] = comprehension.args;
    visit(receiver, walk, inside);
    const body = { ...inside, item: readItemName(comprehension) };
    for (const part of parts.slice(1)) visit(part, walk, body);
  } else if (memberOfRoot(node, place.item) === undefined) {
    // `steps.x`, `inputs.x` and `secrets.x` are checked as a whole.
    for (const child of childNodes(node)) visit(child, walk, inside);
  }
}

function checkNode(node: ASTNode, walk: Walk, place: Place): ExpressionProblem | undefined {
  if (place.depth === depthMax || place.literalDepth > literalDepthMax)
    return { message: 'The expression is nested too deeply.' };
  switch (node.op) {
    case 'value':
      return checkLiteral(node.args);
    case 'id':
      return checkRoot(node.args, walk, place);
    case '.':
    case '[]':
      return checkMember(node, walk, place);
    case 'call':
      return checkCall(node.args[0], node.args[1]);
    case 'rcall':
      return checkMethod(node, place);
    default:
      return undefined;
  }
}

function checkLiteral(value: unknown): ExpressionProblem | undefined {
  if (typeof value === 'bigint' && !isInt64(value)) return { message: 'Whole numbers are limited to 64 bits.' };
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof Uint8Array) return { message: 'Bytes are not supported. Write a string.' };
  return { message: 'Unsigned numbers are not supported. Omit the u.' };
}

function checkRoot(name: string, { names, roots }: Walk, place: Place): ExpressionProblem | undefined {
  if (name === place.item) return undefined;
  if (!names.roots.has(name)) return unknownName(name, names);
  roots.add(name);
  if (name === 'steps') return { message: 'Add the id of a step after steps.', hint: 'Write steps.<id>.' };
  // Data from senders must not choose which secret is sent.
  if (name === 'secrets') return { message: 'Add the name of a secret after secrets.', hint: 'Write secrets.<NAME>.' };
  return undefined;
}

function unknownName(name: string, { roots, inputs }: Names): ExpressionProblem {
  if (name === 'item' || name === 'index') return { message: `${name} can be used only inside for_each.` };
  if (name === 'secrets') return { message: 'Secrets can be used only in headers, json and body of http.request.' };
  const hint = inputs?.has(name) ? `Did you mean inputs.${name}?` : didYouMean(name, roots);
  return { message: `${name} is not defined here.`, hint: hint ?? `Available: ${[...roots].join(', ')}.` };
}

function checkMember(node: ASTNode, walk: Walk, place: Place): ExpressionProblem | undefined {
  const member = memberOfRoot(node, place.item);
  if (member === undefined) return checkField(node, walk.names, place.item);
  if (!walk.names.roots.has(member.root)) return unknownName(member.root, walk.names);
  walk.roots.add(member.root);
  if (member.root === 'secrets') walk.secrets.add(member.name);
  return checkMemberOfRoot(member, walk.names);
}

function checkCall(name: string, args: readonly ASTNode[]): ExpressionProblem | undefined {
  if (name === 'has') {
    const [path] = args;
    if (args.length === 1 && isAccess(path!)) return undefined;
    return { message: 'has() needs the path of a field, like has(payload.user.email).' };
  }
  return checkKnown('function', name, args.length, functions);
}

function checkMethod(node: Extract<ASTNode, { op: 'rcall' }>, place: Place): ExpressionProblem | undefined {
  const [name, , args] = node.args;
  if (name === 'matches')
    return { message: 'matches() is not supported.', hint: 'Use contains(), startsWith() or endsWith().' };
  if (asComprehension(node) === undefined) return checkKnown('method', name, args.length, methods);
  if (place.item === undefined) return undefined;
  return { message: `${name}() cannot be used inside another function that iterates over a list.` };
}

function checkKnown(what: string, name: string, count: number, known: Readonly<Record<string, unknown>>) {
  if (Object.hasOwn(known, `${name}/${count}`)) return undefined;
  const names = new Set(Object.keys(known).map((key) => key.split('/')[0]!));
  if (names.has(name) || comprehensionNames.has(name)) {
    const message = `${name}() does not take ${count} argument${count === 1 ? '' : 's'}.`;
    return { message, hint: name.startsWith('get') ? 'Times are in UTC.' : undefined };
  }
  const hint = otherForm(what, name, count) ?? didYouMean(name, [...names, 'has', ...comprehensionNames]);
  return { message: `The ${what} ${name}() does not exist.`, hint };
}

/** Returns a hint if the call exists in the other form: a method as a function, or a function as a method. */
function otherForm(what: string, name: string, count: number): string | undefined {
  if (what === 'method') return Object.hasOwn(functions, `${name}/${count + 1}`) ? `Write ${name}(…).` : undefined;
  return Object.hasOwn(methods, `${name}/${count - 1}`)
    ? `Write it after the value: ….${name}(${count > 1 ? '…' : ''}).`
    : undefined;
}

import type { ASTNode } from '@marcbachmann/cel-js';
import { ExpressionError } from '../expression.error.ts';
import type { Frame } from './frame.ts';
import { isList, isMap, valueKind, type Value } from './value.ts';

/** A compiled node of an expression, which can be evaluated repeatedly. */
export type Evaluate = (frame: Frame) => Value;
export type Compile = (node: ASTNode, item: string | undefined) => Evaluate;

type Access = Extract<ASTNode, { op: '.' | '[]' }>;

export function isAccess(node: ASTNode): node is Access {
  return node.op === '.' || node.op === '[]';
}

/**
 * Compiles access to a member. A missing member is an error that explains how to test for it. The compiled function
 * does not refer to the node, because the node would take more memory than everything else.
 */
export function compileAccess(node: Access, item: string | undefined, compile: Compile): Evaluate {
  const base = compile(node.args[0], item);
  const key = compileKey(node, item, compile);
  const { input, start, end } = node;
  const baseEnd = node.args[0].end;
  const name = writtenKey(node);
  return (frame) => {
    frame.charge(1);
    const container = base(frame);
    const member = memberOf(container, key(frame));
    if (member !== undefined) return member;
    throw missing({ from: input.slice(start, baseEnd), path: input.slice(start, end), name }, container);
  };
}

function writtenKey(node: Access): string | undefined {
  if (node.op === '.') return node.args[1];
  const [, key] = node.args;
  return key.op === 'value' ? String(key.args) : undefined;
}

/** Compiles `has(…)`, which is true if every part of the path exists. A part that is null has no members. */
export function compileHas(node: ASTNode, item: string | undefined, compile: Compile): Evaluate {
  const find = compileFind(node, item, compile);
  return (frame) => find(frame) !== undefined;
}

function compileFind(node: ASTNode, item: string | undefined, compile: Compile): (frame: Frame) => Value | undefined {
  if (!isAccess(node)) return compile(node, item);
  const base = compileFind(node.args[0], item, compile);
  const key = compileKey(node, item, compile);
  return (frame) => {
    frame.charge(1);
    const container = base(frame);
    return container === undefined ? undefined : memberOf(container, key(frame));
  };
}

function compileKey(node: Access, item: string | undefined, compile: Compile): Evaluate {
  if (node.op === '[]') return compile(node.args[1], item);
  const [, name] = node.args;
  return () => name;
}

/** Returns a value's own member. Inherited members are not data. */
function memberOf(container: Value, key: Value): Value | undefined {
  if (isMap(container)) return typeof key === 'string' && Object.hasOwn(container, key) ? container[key] : undefined;
  if (!isList(container) || (typeof key !== 'bigint' && typeof key !== 'number')) return undefined;
  return container[Number(key)];
}

const shownMax = 80;

/**
 * Returns the beginning of a source. The parser excludes opening parentheses from the start of a node, as in
 * `(payload).a`; they are added again.
 */
function shown(source: string): string {
  const cut = source.length > shownMax ? `${source.slice(0, shownMax)}…` : source;
  let [open, missing] = [0, 0];
  for (const [token] of cut.matchAll(stringOrParenthesis)) {
    if (token === '(') open++;
    else if (token === ')' && open > 0) open--;
    else if (token === ')') missing++;
  }
  return '('.repeat(missing) + cut;
}

const stringOrParenthesis = /(["'])(?:\\.|(?!\1).)*\1|[()]/g;

interface Missing {
  /** Source of the container. */
  from: string;
  /** Source of the access. */
  path: string;
  /** Undefined if the key is computed. */
  name: string | undefined;
}

function missing({ from: source, path, name }: Missing, container: Value): ExpressionError {
  const from = shown(source);
  const hint = `Test for it first with has(${shown(path)}).`;
  if (isList(container)) return new ExpressionError(`${from} has no such item.`, hint);
  if (!isMap(container)) return new ExpressionError(`${from} is ${described(container)} and has no members.`, hint);
  return new ExpressionError(`No such key${name === undefined ? '' : `: ${name}`} in ${from}.`, hint);
}

function described(value: Value): string {
  return value === null ? 'null' : `a ${valueKind(value)}`;
}

import type { ASTNode } from '@marcbachmann/cel-js';
import { isAccess } from '../evaluation/access.ts';
import { asComprehension, readItemName } from '../evaluation/comprehension.ts';
import { memberOfRoot } from './check-members.ts';
import { childNodes } from './check-types.ts';

type Inputs = ReadonlySet<string>;

/** Inputs that an expression needs, and inputs that it tests with `has(…)`. */
export interface InputUses {
  /** Inputs that the expression reads without a test. If one of them has no value, the evaluation fails. */
  readonly needed: Inputs;
  /** Inputs that have a value if the expression is true. */
  readonly tested: Inputs;
}

export function findInputUses(node: ASTNode): InputUses {
  const needed = new Set<string>();
  visit(node, { needed, item: undefined }, new Set());
  return { needed, tested: testedBy(node, true, undefined) };
}

interface Walk {
  readonly needed: Set<string>;
  /** Name of the enclosing comprehension's item. */
  readonly item: string | undefined;
}

/** Collects the inputs that a node needs, except those that are known to have a value. */
function visit(node: ASTNode, walk: Walk, known: Inputs): void {
  const input = inputOf(node, walk.item);
  if (input !== undefined) return void (known.has(input) || walk.needed.add(input));
  if (node.op === 'call' && node.args[0] === 'has') return;
  if (node.op === '?:') return visitChoice(node.args, walk, known);
  if (node.op === '&&' || node.op === '||') return visitLogic(node.op, node.args, walk, known);
  const comprehension = asComprehension(node);
  if (comprehension === undefined) return childNodes(node).forEach((child) => visit(child, walk, known));
  const [, receiver, parts] = comprehension.args;
  visit(receiver, walk, known);
  for (const part of parts.slice(1)) visit(part, { ...walk, item: readItemName(comprehension) }, known);
}

function visitChoice([test, yes, no]: readonly [ASTNode, ASTNode, ASTNode], walk: Walk, known: Inputs): void {
  visit(test, walk, known);
  visit(yes, walk, known.union(testedBy(test, true, walk.item)));
  visit(no, walk, known.union(testedBy(test, false, walk.item)));
}

/** Visits two operands. Each can decide the result alone, even if the other fails. */
function visitLogic(op: '&&' | '||', [left, right]: readonly [ASTNode, ASTNode], walk: Walk, known: Inputs): void {
  const isOpen = op === '&&';
  visit(left, walk, known.union(testedBy(right, isOpen, walk.item)));
  visit(right, walk, known.union(testedBy(left, isOpen, walk.item)));
}

/** Returns the inputs that are known to have a value if a test has this result. */
function testedBy(node: ASTNode, result: boolean, item: string | undefined): Inputs {
  if (node.op === '!_') return testedBy(node.args, !result, item);
  if (node.op === '&&' || node.op === '||') {
    const [left, right] = node.args.map((each) => testedBy(each, result, item)) as [Inputs, Inputs];
    return (node.op === '&&') === result ? left.union(right) : left.intersection(right);
  }
  const isTest = node.op === 'call' && node.args[0] === 'has' && result;
  const input = isTest ? inputWithin(node.args[1][0]!, item) : undefined;
  return new Set(input === undefined ? [] : [input]);
}

/** Returns the input at the beginning of a path, like `inputs.user.email`. */
function inputWithin(node: ASTNode, item: string | undefined): string | undefined {
  return inputOf(node, item) ?? (isAccess(node) ? inputWithin(node.args[0], item) : undefined);
}

function inputOf(node: ASTNode, item: string | undefined): string | undefined {
  const member = memberOfRoot(node, item);
  return member?.root === 'inputs' ? member.name : undefined;
}

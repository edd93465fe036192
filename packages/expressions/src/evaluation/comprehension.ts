import type { ASTNode } from '@marcbachmann/cel-js';
import type { Compile, Evaluate } from './access.ts';
import { ExpressionError, ExpressionLimitError } from '../expression.error.ts';
import type { Frame } from './frame.ts';
import { condition } from './operators.ts';
import { isList, isMap, valueKind, type Value } from './value.ts';

type MethodCall = Extract<ASTNode, { op: 'rcall' }>;
type Walk = (items: readonly Value[], frame: Frame) => Value;

/** Comprehensions, as names with the number of their arguments. */
const comprehensions = new Set(['all/2', 'exists/2', 'exists_one/2', 'map/2', 'map/3', 'filter/2']);

export const comprehensionNames = new Set([...comprehensions].map((key) => key.split('/')[0]!));

export function asComprehension(node: ASTNode): MethodCall | undefined {
  return node.op === 'rcall' && comprehensions.has(`${node.args[0]}/${node.args[2].length}`) ? node : undefined;
}

/** Returns a comprehension's name for its current item. */
export function readItemName(node: MethodCall): string {
  const [variable] = node.args[2];
  return variable!.op === 'id' ? variable!.args : '';
}

/** Compiles a comprehension, which walks a list or the keys of an object. */
export function compileComprehension(node: MethodCall, item: string | undefined, compile: Compile): Evaluate {
  const [name, receiver, args] = node.args;
  const list = compile(receiver, item);
  const parts = args.slice(1).map((part) => compile(part, readItemName(node)));
  const walk = walks[name]!(parts[0]!, parts[1]);
  return (frame) => walk(itemsOf(list(frame), frame), frame);
}

function itemsOf(container: Value, frame: Frame): readonly Value[] {
  if (!isList(container) && !isMap(container))
    throw new ExpressionError(`Only a list or an object can be iterated, but this is: ${valueKind(container)}.`);
  if (isMap(container)) return frame.keysOf(container);
  frame.chargeItems(container.length);
  return container;
}

/** Evaluates a part of the comprehension for one item. */
function at(part: Evaluate, item: Value, frame: Frame): Value {
  frame.charge(1);
  frame.item = item;
  return part(frame);
}

const walks: Readonly<Record<string, (first: Evaluate, second: Evaluate | undefined) => Walk>> = {
  all: (test) => (items, frame) => !isDecided(items, test, false, frame),
  exists: (test) => (items, frame) => isDecided(items, test, true, frame),
  exists_one: (test) => (items, frame) => select(items, test, 'exists_one', frame).length === 1,
  filter: (test) => (items, frame) => select(items, test, 'filter', frame),
  map: (first, second) => (items, frame) =>
    second === undefined
      ? items.map((item) => at(first, item, frame))
      : select(items, first, 'map', frame).map((item) => at(second, item, frame)),
};

function select(items: readonly Value[], test: Evaluate, name: string, frame: Frame): readonly Value[] {
  return items.filter((item) => condition(at(test, item, frame), name));
}

/** Work charged for an error: creating one takes as long as hundreds of operations. */
const errorWork = 200;

/**
 * Returns true if the test yields `decision` for any item, even if it fails for other items, as CEL demands. Otherwise
 * it throws the first failure, or returns false if there was none.
 */
function isDecided(items: readonly Value[], test: Evaluate, decision: boolean, frame: Frame): boolean {
  let failure: unknown;
  for (const item of items) {
    try {
      if (condition(at(test, item, frame), 'A test') === decision) return true;
    } catch (error) {
      const forgiven = forgivable(error, frame);
      failure ??= forgiven;
    }
  }
  if (failure !== undefined) throw failure;
  return false;
}

/** Returns the error if the result of another operand or item can override it; otherwise rethrows it. */
export function forgivable(error: unknown, frame: Frame): ExpressionError {
  if (!(error instanceof ExpressionError) || error instanceof ExpressionLimitError) throw error;
  frame.charge(errorWork);
  return error;
}

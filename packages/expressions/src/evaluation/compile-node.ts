import type { ASTNode } from '@marcbachmann/cel-js';
import { compileAccess, compileHas, type Evaluate } from './access.ts';
import { compileComprehension, forgivable, asComprehension } from './comprehension.ts';
import { functions } from './conversion-functions.ts';
import { ExpressionError } from '../expression.error.ts';
import type { CelFunction } from './function.ts';
import { binaryOperators, condition, negate, not } from './operators.ts';
import { textMethods } from './text-functions.ts';
import { timeMethods } from './time-functions.ts';
import type { Value } from './value.ts';

export const methods: Readonly<Record<string, CelFunction>> = { ...textMethods, ...timeMethods };

/**
 * Compiles a checked expression to a function. The evaluator of cel-js is not used: it does not limit the work that a
 * sender's values can cause, and would run every function it knows.
 */
export function compileNode(node: ASTNode, item: string | undefined): Evaluate {
  switch (node.op) {
    case 'value':
      return constant(node.args as Value);
    case 'id':
      return node.args === item ? (frame) => frame.item : readRoot(node.args);
    case '.':
    case '[]':
      return compileAccess(node, item, compileNode);
    case 'call':
      return compileCall(node, item);
    case 'rcall':
      return asComprehension(node) ? compileComprehension(node, item, compileNode) : compileMethod(node, item);
    case 'list':
      return compileList(node.args, item);
    case 'map':
      return compileMap(node.args, item);
    case '?:':
      return compileChoice(node.args, item);
    case '||':
    case '&&':
      return compileLogic(node.op, node.args, item);
    case '!_':
      return compileUnary(not, node.args, item);
    case '-_':
      return compileUnary(negate, node.args, item);
    default:
      return compileBinary(node.op, node.args as readonly [ASTNode, ASTNode], item);
  }
}

function constant(value: Value): Evaluate {
  return () => value;
}

/**
 * Compiles reading a value of the context. A value that a run does not have, such as the payload of a run without a
 * delivery, is null.
 */
function readRoot(name: string): Evaluate {
  return ({ context }) => {
    const value = (Object.hasOwn(context, name) ? (context as Record<string, Value>)[name] : null) ?? null;
    // CEL expects the counter `index` to be a whole number.
    return name === 'index' && typeof value === 'number' ? BigInt(value) : value;
  };
}

function compileCall(node: Extract<ASTNode, { op: 'call' }>, item: string | undefined): Evaluate {
  const [name, args] = node.args;
  if (name === 'has') return compileHas(args[0]!, item, compileNode);
  return apply(functions[`${name}/${args.length}`], args, item);
}

function compileMethod(node: Extract<ASTNode, { op: 'rcall' }>, item: string | undefined): Evaluate {
  const [name, receiver, args] = node.args;
  return apply(methods[`${name}/${args.length}`], [receiver, ...args], item);
}

function apply(called: CelFunction | undefined, args: readonly ASTNode[], item: string | undefined): Evaluate {
  if (called === undefined) throw new Error('The expression calls an unknown function: it was not checked.');
  const values = args.map((arg) => compileNode(arg, item));
  return (frame) => {
    frame.charge(1);
    return called(
      values.map((value) => value(frame)),
      frame,
    );
  };
}

function compileList(nodes: readonly ASTNode[], item: string | undefined): Evaluate {
  const members = nodes.map((node) => compileNode(node, item));
  return (frame) => {
    frame.charge(1 + members.length);
    return members.map((member) => member(frame));
  };
}

function compileMap(nodes: readonly (readonly [ASTNode, ASTNode])[], item: string | undefined): Evaluate {
  const entries = nodes.map(([key, value]) => [compileNode(key, item), compileNode(value, item)] as const);
  return (frame) => {
    frame.charge(1 + 4 * entries.length);
    // Object.fromEntries defines each member, so that a key like __proto__ is data.
    return Object.fromEntries(entries.map(([key, value]) => [keyText(key(frame)), value(frame)]));
  };
}

function keyText(key: Value): string {
  if (typeof key === 'string') return key;
  throw new ExpressionError('The keys of an object must be strings.');
}

function compileChoice(nodes: readonly [ASTNode, ASTNode, ASTNode], item: string | undefined): Evaluate {
  const [test, yes, no] = nodes.map((node) => compileNode(node, item)) as [Evaluate, Evaluate, Evaluate];
  return (frame) => {
    frame.charge(1);
    return condition(test(frame), '?:') ? yes(frame) : no(frame);
  };
}

/** Compiles `||` or `&&`. Either operand can decide the result alone, even if the other fails. */
function compileLogic(operator: '||' | '&&', nodes: readonly [ASTNode, ASTNode], item: string | undefined): Evaluate {
  const decision = operator === '||';
  const [left, right] = [compileNode(nodes[0], item), compileNode(nodes[1], item)];
  return (frame) => {
    frame.charge(1);
    let failure: ExpressionError | undefined;
    try {
      if (condition(left(frame), operator) === decision) return decision;
    } catch (error) {
      failure = forgivable(error, frame);
    }
    const result = condition(right(frame), operator);
    if (failure !== undefined && result !== decision) throw failure;
    return result;
  };
}

function compileUnary(operate: (value: Value) => Value, node: ASTNode, item: string | undefined): Evaluate {
  const operand = compileNode(node, item);
  return (frame) => {
    frame.charge(1);
    return operate(operand(frame));
  };
}

function compileBinary(operator: string, nodes: readonly [ASTNode, ASTNode], item: string | undefined): Evaluate {
  const operate = binaryOperators[operator];
  if (operate === undefined)
    throw new Error(`The expression has the unknown operator ${operator}: it was not checked.`);
  const [left, right] = [compileNode(nodes[0], item), compileNode(nodes[1], item)];
  return (frame) => {
    frame.charge(1);
    return operate(left(frame), right(frame), frame);
  };
}

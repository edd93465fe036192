import { Environment } from '@marcbachmann/cel-js';

export type InputType = 'string' | 'number' | 'boolean' | 'object' | 'array';

/** Output of a step: an object with these fields, or a list. */
export type StepOutput = ReadonlySet<string> | 'list';

/** The names that an expression can use, and what is known about their values before it runs. */
export interface Names {
  readonly roots: ReadonlySet<string>;
  /** Declared inputs; undefined if `inputs` is not in scope. */
  readonly inputs: ReadonlySet<string> | undefined;
  /** Steps that have run when the expression is evaluated. The output is undefined for a step of an unknown kind. */
  readonly steps: ReadonlyMap<string, StepOutput | undefined>;
  /** All steps of the workflow, to tell a step that has not run yet from one that does not exist. */
  readonly allSteps: ReadonlySet<string>;
  /** Known members of names such as `run` and `delivery`. */
  readonly facts: Facts;
  readonly types: Environment;
}

type Facts = ReadonlyMap<string, ReadonlySet<string>>;

const literalMax = 100;

const grammar = new Environment({
  homogeneousAggregateLiterals: false,
  limits: {
    maxAstNodes: 500,
    maxDepth: 50,
    maxListElements: literalMax,
    maxMapEntries: literalMax,
    maxCallArguments: 8,
  },
});

/** Implementation for operators registered with cel-js, which only checks expressions; `compileNode` evaluates them. */
const isNeverRun = () => {
  throw new Error('cel-js checks expressions and never evaluates them.');
};

for (const [left, right] of [
  ['int', 'double'],
  ['double', 'int'],
] as const) {
  for (const operator of ['+', '-', '*', '/', '%'])
    grammar.registerOperator(`${left} ${operator} ${right}: double`, isNeverRun);
}
grammar.registerOperator('double % double: double', isNeverRun);
grammar.registerOperator('int == double: bool', isNeverRun);
for (const time of ['google.protobuf.Timestamp', 'google.protobuf.Duration'])
  grammar.registerFunction(`string(${time}): string`, isNeverRun);
grammar.registerFunction('int(google.protobuf.Timestamp): int', isNeverRun);
grammar.registerFunction('urlEncode(string): string', isNeverRun);
grammar.registerFunction('name_parts(string): map<string, string>', isNeverRun);

const celTypes: Readonly<Record<InputType | 'any', string>> = {
  string: 'string',
  number: 'double',
  boolean: 'bool',
  object: 'map',
  array: 'list',
  any: 'dyn',
};

const runFacts: Facts = new Map([
  ['delivery', new Set(['id', 'received_at', 'headers', 'replay'])],
  ['trigger', new Set(['id', 'name'])],
  ['workflow', new Set(['id', 'name', 'version'])],
  ['run', new Set(['id', 'created_at'])],
]);

/** Returns the names that expressions can use before the first step of a workflow. */
export function workflowNames(inputs: ReadonlyMap<string, InputType | 'any'>, allSteps: ReadonlySet<string>): Names {
  const fields = Object.fromEntries([...inputs].map(([name, type]) => [name, celTypes[type]]));
  const types = grammar.clone().registerVariable('inputs', { schema: fields });
  for (const root of ['steps', ...runFacts.keys()]) types.registerVariable(root, 'map');
  types.registerVariable('payload', 'dyn');
  const roots = new Set(['inputs', 'steps', 'payload', ...runFacts.keys()]);
  return { roots, inputs: new Set(inputs.keys()), steps: new Map(), allSteps, facts: runFacts, types };
}

/** Returns the names extended by a step that has run. */
export function afterStep(names: Names, id: string, output: StepOutput | undefined): Names {
  return { ...names, steps: new Map([...names.steps, [id, output]]) };
}

/** Returns the names extended by `item` and `index`, for expressions inside a loop. */
export function insideLoop(names: Names): Names {
  if (names.roots.has('index')) return names;
  const types = names.types.clone().registerVariable('item', 'dyn').registerVariable('index', 'int');
  return { ...names, roots: new Set([...names.roots, 'item', 'index']), types };
}

/**
 * Returns the names extended by `secrets`, for members in which secrets of the organization may be sent. Which secrets
 * exist is checked only by a run.
 */
export function withSecrets(names: Names): Names {
  const types = names.types.clone().registerVariable('secrets', 'map<string, string>');
  return { ...names, roots: new Set([...names.roots, 'secrets']), types };
}

/** The names that the filter of an assignment and the repeat key of a trigger can use. */
export const filterNames: Names = {
  roots: new Set(['payload', 'delivery']),
  inputs: undefined,
  steps: new Map(),
  allSteps: new Set(),
  // When these expressions are evaluated, the delivery is not stored yet, so it has no id and no time.
  facts: new Map([['delivery', new Set(['headers'])]]),
  types: grammar.clone().registerVariable('payload', 'dyn').registerVariable('delivery', 'map'),
};

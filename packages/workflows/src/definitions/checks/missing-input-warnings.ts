import { type DefinitionFault, faultAt, type Path } from '../definition.error.ts';
import type { Definition, StepDefinition } from '../definition.ts';
import { readExpressions, type StepExpressions } from '../step-expressions.ts';
import { findSteps } from './check-steps.ts';

/** Returns a warning for each string that reads an optional input without testing it with `has(…)`. */
export function missingInputWarnings(definition: Pick<Definition, 'inputs' | 'steps'>): DefinitionFault[] {
  const { inputs, steps } = definition;
  const isOptional = (name: string) => !inputs[name]!.required && inputs[name]!.default === undefined;
  const optional = new Set(Object.keys(inputs).filter(isOptional));
  if (optional.size === 0) return [];
  const expressions = readExpressions(definition, findSteps(steps)).steps;
  return warningsIn({ steps, expressions, path: ['steps'] }, optional);
}

interface Steps {
  steps: readonly StepDefinition[];
  expressions: readonly StepExpressions[];
  path: Path;
}

function warningsIn({ steps, expressions, path }: Steps, optional: ReadonlySet<string>): DefinitionFault[] {
  return steps.flatMap((step, i) => {
    const { when, with: input, steps: inner } = expressions[i]!;
    const at = [...path, i];
    // `when` is evaluated first, and the rest only if it is true.
    const left = optional.difference(when?.inputs.tested ?? new Set());
    return [
      ...[...(when?.inputs.needed ?? [])]
        .filter((name) => optional.has(name))
        .map((name) => inWhen([...at, 'when'], name)),
      ...(input?.inputs ?? []).flatMap(({ path: member, needed }) =>
        [...needed].filter((name) => left.has(name)).map((name) => inWith([...at, ...member], name)),
      ),
      ...warningsIn({ steps: step.steps ?? [], expressions: inner, path: [...at, 'steps'] }, left),
    ];
  });
}

const inWhen = (path: Path, name: string) =>
  faultAt(path, message(name), `Write has(inputs.${name}) && …, or give the input a default.`);

const inWith = (path: Path, name: string) =>
  faultAt(
    path,
    message(name),
    `Write \${{ has(inputs.${name}) ? inputs.${name} : … }}, add "when": "has(inputs.${name})" to the step, ` +
      'or give the input a default.',
  );

const message = (name: string) => `The input ${name} is optional. The step fails if it has no value.`;

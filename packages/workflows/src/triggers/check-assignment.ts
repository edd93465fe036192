import { isStorable } from '@relata/schemas';
import type { Definition } from '../definitions/definition.ts';
import { readInput } from '../definitions/input-value.ts';
import { isKeptHeader } from '../deliveries/delivery-headers.ts';
import { checkFilter } from './filter.ts';
import { fieldPathCharactersMax, parseFieldPath } from './field-path.ts';
import type { InputMapping } from './assignment.sql.ts';

/** A fault of a mapping at an input, or of the filter if `input` is undefined. */
export interface AssignmentFault {
  input: string | undefined;
  message: string;
}

/** Returns the faults of a mapping and its filter, each with its input. */
export function checkAssignment(
  inputs: Definition['inputs'],
  mapping: InputMapping,
  filter: string | undefined,
): AssignmentFault[] {
  const filterFault = filter === undefined ? undefined : checkFilter(filter);
  const atInput = (input: string) => (message: string) => ({ input, message });
  return [
    ...Object.entries(mapping).flatMap(([input, from]) => checkMapped(inputs, input, from).map(atInput(input))),
    ...listUnmapped(inputs, mapping).map((input) => atInput(input)(`The input "${input}" is required. Map it.`)),
    ...(filterFault ? [{ input: undefined, message: `The filter is wrong: ${filterFault.message}` }] : []),
  ];
}

/** Returns the required inputs with neither a mapping nor a default. The workflow could not start without them. */
function listUnmapped(inputs: Definition['inputs'], mapping: InputMapping): string[] {
  return Object.entries(inputs)
    .filter(([input, { required, default: fallback }]) => {
      return required && fallback === undefined && !Object.hasOwn(mapping, input);
    })
    .map(([input]) => input);
}

function checkMapped(inputs: Definition['inputs'], input: string, from: InputMapping[string]): string[] {
  const spec = Object.hasOwn(inputs, input) ? inputs[input] : undefined;
  if (!spec) return [`The workflow has no input "${input}"; it has: ${Object.keys(inputs).join(', ') || 'none'}.`];
  if (typeof from === 'string') {
    const problem = problemOfPath(from);
    return problem === undefined ? [] : [`"${input}" ${problem}.`];
  }
  const read = readInput(spec, from.const);
  return 'problem' in read ? [`The constant for "${input}" ${read.problem}.`] : [];
}

function problemOfPath(from: string): string | undefined {
  const path = isStorable(from) ? parseFieldPath(from) : undefined;
  if (!path)
    return `must be mapped to a path like payload.user.email or headers.x-github-event, of at most ${fieldPathCharactersMax} characters`;
  const header = path.root === 'headers' ? path.text.slice('headers.'.length) : undefined;
  if (header === undefined || isKeptHeader(header)) return undefined;
  return `cannot be mapped to the header ${header}, which is not stored with a delivery`;
}

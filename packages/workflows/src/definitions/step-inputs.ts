import {
  accounts,
  contacts,
  customActivities,
  type Deletion,
  keyDetails,
  newFields,
  opportunities,
  type Patch,
  readMatch,
  readUpsert,
  readValues,
  type RecordTable,
  validateCreate,
} from '@relata/records';
import { parseDurationMs } from '@relata/runtime';
import { instant } from '@relata/schemas';
import { type AppError, type ErrorDetail, validationError } from '@relata/schemas/errors';
import { delayMaxMs } from './steps/delay.step.ts';
import { loopItemsMax } from './steps/for-each.step.ts';
import type { StepUseOf } from './steps/step-kinds.ts';

type Input = Record<string, unknown>;

/**
 * Returns the readers of the inputs of a table's record steps. They depend only on the input, so that a verdict can
 * predict their errors. They throw `validation_error`.
 */
export function tableInputs(table: RecordTable<unknown>) {
  return {
    create: ({ set }: Input) => validateCreate(table, set),
    update: ({ id, set, fill, add }: Input): Patch => {
      const { set: patch, ...additions } = readValues(table, { set, fill, add });
      const details = keyDetails('id', id, 'uuid');
      if (details.length > 0) throw validationError(details);
      return { id: id as string, patch, ...additions };
    },
    upsert: (input: Input) => readUpsert(table, input as { match: unknown }),
    delete: ({ id, cascade }: Input): Deletion => {
      const details = [...keyDetails('id', id, 'uuid'), ...flagDetails('cascade', cascade)];
      if (details.length > 0) throw validationError(details);
      return { id: id as string, cascade: cascade === true };
    },
    find: ({ match }: Input) => readMatch(table, match),
  };
}

function flagDetails(field: string, value: unknown): ErrorDetail[] {
  if (value === undefined || typeof value === 'boolean') return [];
  return [{ in: 'body', field, code: 'invalid_type', message: 'Must be a boolean.' }];
}

function named<Name extends string>(name: Name, table: RecordTable<unknown>) {
  const read = Object.entries(tableInputs(table)).map(([verb, one]) => [`${name}.${verb}`, one] as const);
  type Read = ReturnType<typeof tableInputs>;
  return Object.fromEntries(read) as { [Verb in keyof Read as `${Name}.${Verb}`]: Read[Verb] };
}

export const recordInputs = {
  ...named('account', accounts),
  ...named('contact', contacts),
  ...named('opportunity', opportunities),
  'activity.create': (input: Input) => validateCreate(customActivities, input),
} satisfies Record<StepUseOf<'record'>, (input: Input) => unknown>;

/** Returns the error of an upsert that finds no record and cannot create one from its values; otherwise undefined. */
export function creationFault(use: StepUseOf<'record'>, input: Input): unknown {
  const table = upserted[use];
  if (!table) return undefined;
  const given = readUpsert(table, input as { match: unknown });
  if (given.match.some(([name]) => name === 'id')) return undefined;
  try {
    validateCreate(table, newFields(given.match, given));
    return undefined;
  } catch (error) {
    return error;
  }
}

const upserted: Partial<Record<StepUseOf<'record'>, RecordTable<unknown>>> = {
  'account.upsert': accounts,
  'contact.upsert': contacts,
  'opportunity.upsert': opportunities,
};

/** Time at which a run continues: after a delay by the database's clock, or at an instant. */
export type WakeTime = { wakeInMs: number } | { wakeAt: string };

export const timerInputs = { delay: readDelay } satisfies Record<StepUseOf<'timer'>, (input: Input) => WakeTime>;

function readDelay(input: Input): WakeTime {
  if (input['until'] !== undefined) return { wakeAt: readInstant(input['until']) };
  const ms = parseDurationMs(String(input['for']));
  if (ms === undefined) throw invalidInput('for', 'Must be a duration like 250ms, 10s, 5m, 2h or 7d.');
  if (ms > delayMaxMs) throw invalidInput('for', 'Must be at most 365d.');
  return { wakeInMs: ms };
}

function readInstant(value: unknown): string {
  const parsed = instant().safeParse(value);
  if (!parsed.success) throw invalidInput('until', 'Must be a date and time with a zone.');
  if (Date.parse(parsed.data) > Date.now() + delayMaxMs) throw invalidInput('until', 'Must be within 365 days.');
  return parsed.data;
}

export const loopInputs = {
  for_each: ({ items }) => {
    if (!Array.isArray(items)) throw invalidInput('items', 'Must be a list.');
    if (items.length > loopItemsMax) throw invalidInput('items', `Must have at most ${loopItemsMax} items.`);
    return items;
  },
} satisfies Record<StepUseOf<'loop'>, (input: Input) => unknown[]>;

function invalidInput(field: string, message: string): AppError {
  return validationError([{ in: 'body', field, code: 'invalid_type', message }]);
}

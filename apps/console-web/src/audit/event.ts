import type { AnswerOf } from '../api/types.ts';

/** A change, as the audit shows it. */
export type Event = AnswerOf<'listAudit'>['data'][number];

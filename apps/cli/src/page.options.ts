import { uuid } from '@relata/schemas';
import { value } from './parameter.ts';
import { wholeNumber } from './whole-number.ts';

/** Of a list that grows for ever: so many, the newest first, and from there on. */
export const page = {
  limit: value('N', wholeNumber(1, 1_000).default(25), 'How many at most, up to 1000; 25 unless given'),
  before: value('ID', uuid().optional(), 'Only what is older than this one: the last of the page before'),
};

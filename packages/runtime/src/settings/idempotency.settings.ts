import { wholeNumberSetting } from './settings.ts';

/** Settings of the app that stores answers, and of the one that deletes them. */
export const idempotencySettings = {
  IDEMPOTENCY_HOURS: wholeNumberSetting(
    0,
    720,
    24,
    'Hours for which a repeated write with the same `Idempotency-Key` gets the first answer again, without ' +
      'being repeated.',
  ),
};

import { wholeNumberSetting } from './settings.ts';

/** Settings of the app that stores answers, and of the one that deletes them. */
export const idempotencySettings = {
  IDEMPOTENCY_HOURS: wholeNumberSetting(
    0,
    720,
    24,
    'A write with an `Idempotency-Key` that comes again within so many hours is answered as before, and not done again.',
  ),
};

import { wholeNumberSetting } from '@relata/runtime';

/** Of the app that keeps answers, and of the one that drops them. */
export const idempotencySettings = {
  IDEMPOTENCY_HOURS: wholeNumberSetting(
    0,
    720,
    24,
    'A write with an `Idempotency-Key` that comes again within so many hours is answered as before, and not done again.',
  ),
};

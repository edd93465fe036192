import { wholeNumberSetting } from './settings.ts';

/** Settings of the app that deletes old data, and of the diagnosis that checks this. */
export const retentionSettings = {
  RETENTION_DAYS: wholeNumberSetting(
    1,
    36_500,
    30,
    'Deliveries, and runs that have ended, are dropped after so many days.',
  ),
  EVENT_DAYS: wholeNumberSetting(
    1,
    3_650,
    90,
    'Events, which say who changed what, are dropped after so many days; the last one of an organization is kept.',
  ),
};

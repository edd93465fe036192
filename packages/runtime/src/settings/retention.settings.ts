import { wholeNumberSetting } from './settings.ts';

/** Settings of the app that deletes old data, and of the diagnosis that checks this. */
export const retentionSettings = {
  RETENTION_DAYS: wholeNumberSetting(1, 36_500, 30, 'Days until deliveries, and runs that have ended, are deleted.'),
  EVENT_DAYS: wholeNumberSetting(
    1,
    3_650,
    90,
    'Days until events (who changed what) are deleted. The last event of an organization is kept.',
  ),
};

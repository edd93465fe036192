import { databaseSettings, messagingSettings, rateLimitSetting, serviceSettings } from '@relata/runtime';

export const settings = {
  ...serviceSettings,
  ...databaseSettings,
  ...messagingSettings,
  WEBHOOK_RATE_LIMIT: rateLimitSetting('6000/1m', 'Accepted posts for one trigger, over all replicas; `off` for none.'),
};

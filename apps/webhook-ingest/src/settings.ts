import { databaseSettings, messagingSettings, rateLimitSetting, serviceSettings } from '@relata/runtime';
import { signingSettings } from '@relata/secrets/settings';

export const settings = {
  ...serviceSettings,
  ...databaseSettings,
  ...messagingSettings,
  ...signingSettings,
  WEBHOOK_RATE_LIMIT: rateLimitSetting(
    '6000/1m',
    'Accepted posts for one trigger, over all replicas; `off` for no limit.',
  ),
};

import {
  databaseSettings,
  idempotencySettings,
  messagingSettings,
  rateLimitSetting,
  serviceSettings,
  trashSettings,
} from '@relata/runtime';

export const settings = {
  ...serviceSettings,
  ...databaseSettings,
  ...messagingSettings,
  ...idempotencySettings,
  ...trashSettings,
  API_RATE_LIMIT: rateLimitSetting('6000/1m', 'Requests with one API key, over all replicas; `off` for no limit.'),
};

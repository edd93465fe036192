import {
  databaseSettings,
  messagingSettings,
  rateLimitSetting,
  serviceSettings,
  integerSetting,
} from '@relata/runtime';
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
  SIGNED_BODY_MAX: integerSetting(
    524_288,
    26_214_400,
    5_242_880,
    'Maximum size of a body in bytes, if the sender of the trigger is of a known kind. Other senders may send 524,288. Each MB beyond the default takes about 60 MB of memory.',
  ),
};

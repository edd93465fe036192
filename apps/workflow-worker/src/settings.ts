import { databaseSettings, messagingSettings, serviceSettings } from '@relata/runtime';

export const settings = { ...serviceSettings, ...databaseSettings, ...messagingSettings };

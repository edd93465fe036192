import { consoleSettings, publicSettings, readSettings, SettingsError } from '@relata/runtime';
import { findTrigger, findTriggerOrganization, type Trigger } from '@relata/workflows';
import { reference } from '../../command/parameter.ts';
import { findStackOn } from '../../command/stack-file.ts';
import { printWarning } from '../../output/print-result.ts';

export const triggerReference = {
  noun: 'trigger',
  list: 'triggers list',
  findOrganization: findTriggerOrganization,
  find: findTrigger,
};

export const triggerArgument = reference('TRIGGER', 'Id of the trigger', triggerReference);

/** Adds the path for deliveries, and the whole URL if the address of the service is known. */
export function withUrl(trigger: Trigger, baseUrl: string | undefined) {
  const path = triggerPath(trigger.id);
  return { ...trigger, url_path: path, ...(baseUrl !== undefined && { url: `${baseUrl}${path}` }) };
}

export function triggerPath(id: string): string {
  return `/webhooks/trigger/${id}`;
}

/**
 * Like findBaseUrl, for commands that also work without an address: a wrong setting causes a warning, and the result is
 * undefined.
 */
export function findBaseUrlOrWarn(databaseUrl: string): string | undefined {
  try {
    return findBaseUrl(databaseUrl);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    printWarning(error.message);
    return undefined;
  }
}

/** Returns the address of the service: from the environment, otherwise of the local stack that uses this database. */
export function findBaseUrl(databaseUrl: string): string | undefined {
  const { PUBLIC_URL, CONSOLE_URL } = readSettings({ ...publicSettings, ...consoleSettings }, process.env);
  return PUBLIC_URL ?? CONSOLE_URL ?? findStackOn(databaseUrl)?.base_url?.replace(/\/+$/, '');
}

import { join, resolve } from 'node:path';
import { service as chatGateway } from '@relata/chat-gateway/service';
import { service as consoleService } from '@relata/console/service';
import { service as recordsApi } from '@relata/records-api/service';
import type { Service } from '@relata/service';
import { service as webhookIngest } from '@relata/webhook-ingest/service';
import { service as workflowWorker } from '@relata/workflow-worker/service';

const declared = [recordsApi, chatGateway, consoleService, webhookIngest, workflowWorker] as const;

export type AppName = (typeof declared)[number]['name'];

/** Every process of Relata. */
export const services: readonly (Service & { name: AppName })[] = declared;

export const appNames = declared.map(({ name }) => name);

export function serviceOf(name: AppName): Service {
  return services.find((service) => service.name === name)!;
}

/** The file that an app is started from, below the root of the repository. */
export function entryIn(name: string): string {
  return `apps/${name}/src/main.ts`;
}

/** The same as an absolute path, which also identifies the app's process by its command line. */
export function entryOf(name: AppName): string {
  return join(resolve(import.meta.dirname, '..'), entryIn(name));
}

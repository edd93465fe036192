import { join, resolve } from 'node:path';
import { service as chatGateway } from '@relata/chat-gateway/service';
import { service as consoleService } from '@relata/console/service';
import { service as recordsApi } from '@relata/records-api/service';
import type { Service } from '@relata/service';
import { service as webhookIngest } from '@relata/webhook-ingest/service';
import { service as workflowWorker } from '@relata/workflow-worker/service';

const declared = [recordsApi, chatGateway, consoleService, webhookIngest, workflowWorker] as const;

export type AppName = (typeof declared)[number]['name'];

export const services: readonly (Service & { name: AppName })[] = declared;

export const appNames = declared.map(({ name }) => name);

export function serviceOf(name: AppName): Service {
  return services.find((service) => service.name === name)!;
}

const root = resolve(import.meta.dirname, '..');

/** Returns the source file with which an app is started. */
export function entryOf(name: AppName): string {
  return join(root, 'apps', name, 'src/main.ts');
}

/** Returns the path of a program's bundle, below the root of the image. */
export function bundleIn(name: AppName | 'cli'): string {
  return `dist/${name}.mjs`;
}

/** Returns the bundle of a program in this checkout, where `npm start` puts it. */
export function bundleOf(name: AppName): string {
  return join(root, bundleIn(name));
}

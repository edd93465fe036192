import { freePorts } from '@relata/embedded';
import { appNames, type AppName } from '../../services.ts';

export interface AppAddress {
  url: string;
  port: number;
  metricsPort: number;
}

/** Chosen once: an app that is started again comes back where the gateway knows it. */
export async function chooseAppAddresses(): Promise<Record<AppName, AppAddress>> {
  const ports = await freePorts(appNames.length * 2);
  const entries = appNames.map((name, at) => [name, addressOf(ports[at * 2], ports[at * 2 + 1])]);
  return Object.fromEntries(entries) as Record<AppName, AppAddress>;
}

function addressOf(port = 0, metricsPort = 0): AppAddress {
  return { url: `http://127.0.0.1:${port}`, port, metricsPort };
}

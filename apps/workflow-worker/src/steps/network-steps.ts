import { type Channel, ChannelError } from '@relata/channel';
import { textOf } from '@relata/expressions';
import type { BeforeLarge, Outbound, OutboundRequest } from '@relata/outbound';
import type { Redaction } from '@relata/secrets';
import type { StepUseOf } from '@relata/workflows/execution';

export interface Reach {
  outbound: Pick<Outbound, 'request'>;
  /** Undefined if no team channel is configured. */
  channel: Channel | undefined;
  organizationName(orgId: string): Promise<string>;
  /** Returns the values of secrets; throws SecretError if one of them is not available. */
  readSecrets(orgId: string, names: readonly string[]): Promise<Readonly<Record<string, string>>>;
}

export interface NetworkCall {
  orgId: string;
  input: Record<string, unknown>;
  /** Idempotency key by which the other system recognizes a repeated call: `<run>:<step>`. */
  idempotencyKey: string;
  timeoutMs: number;
  /** Value of the header `traceparent` for the other system, unless the workflow sets this header. */
  traceparent?: string | undefined;
  signal: AbortSignal;
  beforeLarge: BeforeLarge;
  redaction: Redaction;
}

export type NetworkStep = (reach: Reach, call: NetworkCall) => Promise<unknown>;

/** Implementations of all kinds of network steps. If one is missing, this does not compile. */
export const networkSteps = {
  'http.request': ({ outbound }, { input, ...call }) => outbound.request({ ...(input as RequestInput), ...call }),
  'channel.post': async ({ channel, organizationName }, { orgId, input, timeoutMs, signal }) => {
    if (!channel) throw new ChannelError('rejected', 'No team channel is configured.', { isRetryable: false });
    const organization = await organizationName(orgId);
    await channel.post({ text: textOf(input['text']), organization }, { timeoutMs, signal });
    return { ok: true };
  },
} satisfies Record<StepUseOf<'network'>, NetworkStep>;

type RequestInput = Omit<OutboundRequest, keyof Omit<NetworkCall, 'input'>>;

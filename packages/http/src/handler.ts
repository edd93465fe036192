import type { Caller } from '@relata/auth';
import type { UnitRunner } from '@relata/db';
import type { Log } from '@relata/runtime';
import type { BaseSpec, OperationInput, OperationOutput } from '@relata/schemas';
import type { SerializedJson } from './responses/serialized-json.ts';
import type { StreamedResponse } from './responses/streamed-response.ts';
import type { Exchange } from './exchange/exchange.ts';

export interface HandlerContext<Who = Caller> {
  caller: Who;
  log: Log;
  exchange: Exchange;
  /**
   * Runs units of work in the transaction that also stores the response, or that is rolled back after a dry run.
   * Undefined for requests with neither an idempotency key nor `dry_run`.
   */
  writes?: UnitRunner;
}

export type Handler<Spec extends BaseSpec, Who = Caller> = (
  input: OperationInput<Spec>,
  context: HandlerContext<Who>,
) => Promise<OperationOutput<Spec> | SerializedJson<OperationOutput<Spec>> | StreamedResponse>;

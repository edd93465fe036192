import type { Channel } from '@relata/channel';
import type { Db } from '@relata/db';
import { type DemoRequest, findDemoRequest, type Forwarded, forwardDemoRequest } from '@relata/demo-requests';
import { printWarning } from './result.print.ts';

/** What became of a request that was to be sent. */
export type Resent = Pick<DemoRequest, 'id' | 'org_id' | 'name' | 'work_email' | 'status' | 'attempts'> & {
  is_sent: boolean;
  error: { code: string; message: string } | null;
};

/** Longer than a visitor would wait, so that a channel which asks for patience is given some. */
const deadlineMs = 15_000;

/** After so many that failed in a row the channel is left alone. */
const failuresInRowMax = 10;

/** Sends requests to the team's channel, one after the other. */
export class DemoRequestSender {
  readonly #db: Db;
  readonly #channel: Channel;
  #failuresInRow = 0;

  constructor(db: Db, channel: Channel) {
    this.#db = db;
    this.#channel = channel;
  }

  async send(request: DemoRequest, { mayRepeat = false } = {}): Promise<Resent> {
    const outcome = await this.#outcomeOf(request, mayRepeat);
    if (outcome.ok) this.#failuresInRow = 0;
    else if (outcome.code !== 'busy') this.#failuresInRow++;
    const known = (await findDemoRequest(this.#db, request.org_id, request.id)) ?? request;
    const { id, org_id, name, work_email, status, attempts } = known;
    const error = outcome.ok ? null : { code: outcome.code, message: outcome.message };
    return { id, org_id, name, work_email, status, attempts, is_sent: outcome.ok, error };
  }

  async #outcomeOf(request: DemoRequest, mayRepeat: boolean): Promise<Forwarded | NotTried> {
    if (this.#failuresInRow >= failuresInRowMax)
      return { ok: false, code: 'not_tried', message: `Not tried: the last ${failuresInRowMax} failed.` };
    if (request.status === 'sending')
      return { ok: false, code: 'busy', message: 'It is being sent at this moment; try again in half a minute.' };
    const onError = () => printWarning(`What became of the demo request ${request.id} could not be noted.`);
    return forwardDemoRequest({ db: this.#db, channel: this.#channel, request, deadlineMs, mayRepeat, onError });
  }
}

interface NotTried {
  ok: false;
  code: 'not_tried';
  message: string;
}

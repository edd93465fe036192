import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Db } from '@relata/db';
import { getInstallationKey } from '@relata/people';
import { isUuid } from '@relata/schemas';
import { cookieIn, formatCookie } from './cookie.ts';

const name = 'relata_browser';
const lastsMs = 90 * 86_400_000;
const idBytes = 16;

export interface KnownBrowser {
  id: string;
  personId: string;
}

/**
 * Cookies of browsers in which a person has signed in, so that guesses from elsewhere do not delay that person here.
 * They sign nobody in. A cookie is `person.browser.expiry.mac`. The installation generates the key of the MAC.
 */
export class KnownBrowsers {
  readonly #db: Db;
  #key: Promise<Buffer> | undefined;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Returns undefined for a cookie that is missing, forged or expired. */
  async read(request: IncomingMessage, isSecure: boolean): Promise<KnownBrowser | undefined> {
    const value = cookieIn(request, name, isSecure);
    const [personId = '', id = '', expiry = '', mac = '', ...more] = value?.split('.') ?? [];
    if (!isUuid(personId) || !/^[\w-]{22}$/.test(id) || !/^\d{1,12}$/.test(expiry) || more.length > 0) return undefined;
    // Compares the encoded strings, because several base64url strings decode to the same bytes, and only one of them is
    // valid.
    const [given, right] = [mac, await this.#macOf(`${personId}.${id}.${expiry}`)].map((text) => Buffer.from(text));
    const isOurs = given!.length === right!.length && timingSafeEqual(given!, right!);
    return isOurs && Number(expiry) * 1_000 > Date.now() ? { personId, id } : undefined;
  }

  /**
   * Returns the cookie of a browser in which this person has just signed in; a browser that this person used before
   * keeps its id.
   */
  async cookieFor(personId: string, isSecure: boolean, before: KnownBrowser | undefined): Promise<string> {
    const id = before?.personId === personId ? before.id : randomBytes(idBytes).toString('base64url');
    const text = `${personId}.${id}.${Math.floor((Date.now() + lastsMs) / 1_000)}`;
    return formatCookie(name, `${text}.${await this.#macOf(text)}`, { isSecure, maxMs: lastsMs });
  }

  async #macOf(text: string): Promise<string> {
    this.#key ??= getInstallationKey(this.#db, 'known-browsers');
    try {
      return createHmac('sha256', await this.#key)
        .update(text)
        .digest('base64url');
    } catch (error) {
      // Reading the key failed, so the next call reads it again.
      this.#key = undefined;
      throw error;
    }
  }
}

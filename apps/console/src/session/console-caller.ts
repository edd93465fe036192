import type { Actor } from '@relata/events';
import type { Client, FoundSession } from '@relata/people';
import type { ConsoleSpec } from '@relata/schemas/console';
import type { KnownBrowser } from './known-browsers.ts';

/** A caller, signed in or not, with data about the connection. */
export interface Visitor {
  client: Client;
  /** True if the browser uses https. */
  isSecure: boolean;
  /** Origin to which the request was sent. */
  origin: string;
  /** Undefined unless the request has a valid cookie of a browser in which somebody has signed in before. */
  browser: KnownBrowser | undefined;
  session: FoundSession | undefined;
}

export interface SignedIn extends Visitor {
  session: FoundSession;
}

/** A signed-in person with the permission that the operation needs in an organization. */
export interface OrgCaller extends SignedIn {
  orgId: string;
}

export type ConsoleCaller = Visitor | SignedIn | OrgCaller;

/** The kind of caller that an operation declares. */
export type CallerOf<Spec extends ConsoleSpec> = Spec extends { isPublic: true }
  ? Visitor
  : Spec['path'] extends `${string}/{org}${string}`
    ? OrgCaller
    : SignedIn;

/** Returns the actor for the caller's changes: their user in the organization, or the person if they have no user. */
export function toActor({ orgId, session: { person, membership } }: OrgCaller, requestId: string): Actor {
  return { orgId, kind: 'user', userId: membership?.user_id ?? person.id, name: person.name, requestId };
}

import type { Actor, Author } from '@relata/events';
import type { Client, FoundSession } from '@relata/people';
import type { ConsoleSpec } from '@relata/schemas/console';
import type { KnownBrowser } from './known-browsers.ts';

/** Somebody whom nobody knows yet, and what is known of where they are. */
export interface Visitor {
  client: Client;
  /** True if the browser uses https. */
  isSecure: boolean;
  /** The origin by which the console was asked. */
  origin: string;
  /** Undefined if nobody has signed in there before. */
  browser: KnownBrowser | undefined;
  /** The session, if somebody is signed in. */
  session: FoundSession | undefined;
}

/** Somebody who is signed in. */
export interface SignedIn extends Visitor {
  session: FoundSession;
}

/** Somebody signed in, with the permission that the operation needs in an organization. */
export interface OrgCaller extends SignedIn {
  orgId: string;
}

export type ConsoleCaller = Visitor | SignedIn | OrgCaller;

/** The caller that an operation's declaration promises. */
export type CallerOf<Spec extends ConsoleSpec> = Spec extends { isPublic: true }
  ? Visitor
  : Spec['path'] extends `${string}/{org}${string}`
    ? OrgCaller
    : SignedIn;

/** Someone who is signed in as the author of what they change: by their user of the organization, where there is one. */
function authorOf({ session: { person, membership } }: SignedIn, requestId: string): Author {
  return { kind: 'user', userId: membership?.user_id ?? person.id, name: person.name, requestId };
}

/** Returns the caller as the actor of changes in the organization of the request. */
export function actorOf(caller: OrgCaller, requestId: string): Actor {
  return { ...authorOf(caller, requestId), orgId: caller.orgId };
}

import type { Neighbour } from './neighbour.ts';
import { abortedDownloads } from './rows/aborted-downloads.ts';
import { bulkReplays } from './rows/bulk-replays.ts';
import { crossingWorkflows } from './rows/crossing-workflows.ts';
import { deadWorkflows } from './rows/dead-workflows.ts';
import { deepPages, filteredPages } from './rows/filtered-pages.ts';
import { largeLoops } from './rows/large-loops.ts';
import { largePosts } from './rows/large-posts.ts';
import { keyLimit, triggerLimit } from './rows/limits.ts';
import { packedPosts } from './rows/packed-posts.ts';
import { refusedCreatesAt100, refusedCreatesAt40 } from './rows/refused-creates.ts';
import { retention } from './rows/retention.ts';
import { shuffledPeople } from './rows/shuffled-people.ts';
import { silentCalls } from './rows/silent-calls.ts';
import { silentChannel } from './rows/silent-channel.ts';
import { silentModel } from './rows/silent-model.ts';
import { slowNames } from './rows/slow-names.ts';
import { slowReaders } from './rows/slow-readers.ts';
import { slowSenders } from './rows/slow-senders.ts';
import { unfinishedPosts } from './rows/unfinished-posts.ts';
import { unreadPages } from './rows/unread-pages.ts';
import { visitorTokens } from './rows/visitor-tokens.ts';

/** All rows, in the order in which they are measured. */
export const neighbours: readonly Neighbour[] = [
  shuffledPeople,
  crossingWorkflows,
  refusedCreatesAt40,
  refusedCreatesAt100,
  unfinishedPosts,
  packedPosts,
  largePosts,
  unreadPages,
  abortedDownloads,
  silentCalls,
  filteredPages,
  largeLoops,
  visitorTokens,
  slowReaders,
  slowSenders,
  slowNames,
  silentModel,
  silentChannel,
  deepPages,
  deadWorkflows,
  bulkReplays,
  retention,
  keyLimit,
  triggerLimit,
];

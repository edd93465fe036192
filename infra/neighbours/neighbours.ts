import type { Neighbour } from './neighbour.ts';
import { consoleSearches } from './rows/console/console-searches.ts';
import { abortedDownloads } from './rows/records/aborted-downloads.ts';
import { bigPages } from './rows/records/big-pages.ts';
import { bulkReplays } from './rows/workflows/bulk-replays.ts';
import { expensiveQuestions } from './rows/chat/expensive-questions.ts';
import { crossingWorkflows } from './rows/workflows/crossing-workflows.ts';
import { deadWorkflows } from './rows/workflows/dead-workflows.ts';
import { deepPages, filteredPages } from './rows/records/filtered-pages.ts';
import { atomicUpserts, createBatches } from './rows/records/large-batches.ts';
import { largeOrganization } from './rows/large-organization.ts';
import { largeLoops } from './rows/workflows/large-loops.ts';
import { largePosts } from './rows/records/large-posts.ts';
import { largeSignedPosts } from './rows/webhooks/large-signed-posts.ts';
import { eventStreams } from './rows/records/event-streams.ts';
import { keyLimit, triggerLimit } from './rows/limits.ts';
import { merges } from './rows/records/merges.ts';
import { packedPosts } from './rows/webhooks/packed-posts.ts';
import { refusedChats } from './rows/refused/refused-chats.ts';
import { refusedConsole } from './rows/refused/refused-console.ts';
import { refusedDeliveries } from './rows/refused/refused-deliveries.ts';
import { refusedBatches, refusedRecords } from './rows/refused/refused-records.ts';
import { refusedCreatesAt100, refusedCreatesAt40 } from './rows/records/refused-creates.ts';
import { retention } from './rows/workflows/retention.ts';
import { shuffledPeople } from './rows/workflows/shuffled-people.ts';
import { silentCalls } from './rows/workflows/silent-calls.ts';
import { signIns } from './rows/console/sign-ins.ts';
import { silentChannel } from './rows/chat/silent-channel.ts';
import { silentModel } from './rows/chat/silent-model.ts';
import { commonWords, pairs, sums } from './rows/records/sorted-lists.ts';
import { slowNames } from './rows/workflows/slow-names.ts';
import { slowReaders } from './rows/records/slow-readers.ts';
import { slowSenders } from './rows/records/slow-senders.ts';
import { unfinishedPosts } from './rows/webhooks/unfinished-posts.ts';
import { unverifiedBodies } from './rows/webhooks/unverified-bodies.ts';
import { unreadPages } from './rows/records/unread-pages.ts';
import { visitorTokens } from './rows/chat/visitor-tokens.ts';

export const neighbours: readonly Neighbour[] = [
  shuffledPeople,
  crossingWorkflows,
  refusedCreatesAt40,
  refusedCreatesAt100,
  unfinishedPosts,
  packedPosts,
  unverifiedBodies,
  largeSignedPosts,
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
  expensiveQuestions,
  createBatches,
  atomicUpserts,
  merges,
  bigPages,
  eventStreams,
  deepPages,
  commonWords,
  pairs,
  sums,
  deadWorkflows,
  bulkReplays,
  retention,
  consoleSearches,
  refusedRecords,
  refusedBatches,
  refusedDeliveries,
  refusedChats,
  refusedConsole,
  keyLimit,
  triggerLimit,
  signIns,
  largeOrganization,
];

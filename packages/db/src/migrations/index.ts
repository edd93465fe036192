import type { Migration } from '../migration.ts';
import { organizations } from './001-organizations.ts';
import { records } from './002-records.ts';
import { customActivities } from './003-custom-activities.ts';
import { recordPositions } from './004-record-positions.ts';
import { workflows } from './005-workflows.ts';
import { recordMatches } from './006-record-matches.ts';
import { demoRequests } from './007-demo-requests.ts';
import { secrets } from './008-secrets.ts';
import { analyzeTable } from './009-analyze-table.ts';
import { dueByOrganization } from './010-due-by-organization.ts';
import { chatClientUsage } from './011-chat-client-usage.ts';
import { events } from './012-events.ts';
import { idempotency } from './013-idempotency.ts';
import { begunRuns } from './014-begun-runs.ts';
import { idempotencyPlan } from './015-idempotency-plan.ts';
import { signedTriggers } from './016-signed-triggers.ts';
import { senders } from './017-senders.ts';
import { people } from './018-people.ts';
import { idempotencyTogether } from './019-idempotency-together.ts';
import { begunLimitedRuns } from './020-begun-limited-runs.ts';
import { versionAuthors } from './021-version-authors.ts';
import { attemptTimes } from './022-attempt-times.ts';
import { runTraces } from './023-run-traces.ts';
import { signedPosts } from './024-signed-posts.ts';
import { deliveryCounts } from './026-delivery-counts.ts';
import { demoData } from './026-demo-data.ts';
import { runCounts } from './026-run-counts.ts';
import { problemStates } from './027-problem-states.ts';
import { eventDetails } from './028-event-details.ts';
import { senderProofs } from './029-sender-proofs.ts';
import { keptPosts } from './030-kept-posts.ts';
import { refusedDeliveries } from './030-refused-deliveries.ts';
import { notices } from './031-notices.ts';
import { reportedRefusals } from './031-reported-refusals.ts';
import { runNotes } from './031-run-notes.ts';
import { refusedStartNotes } from './032-refused-start-notes.ts';
import { schemaCompatibility } from './033-schema-compatibility.ts';
import { accountOwners } from './034-account-owners.ts';
import { contactAccounts } from './035-contact-accounts.ts';
import { contactOwners } from './036-contact-owners.ts';
import { opportunityLinks } from './037-opportunity-links.ts';
import { checkedLinks } from './038-checked-links.ts';
import { listKeys } from './039-list-keys.ts';
import { trash } from './040-trash.ts';
import { merges } from './041-merges.ts';
import { erasedAnswers } from './043-erased-answers.ts';
import { mergeSteps } from './044-merge-steps.ts';
import { settingsIndexes } from './045-settings-indexes.ts';
import { accountTags } from './046-account-tags.ts';
import { contactTags } from './047-contact-tags.ts';
import { opportunityTags } from './048-opportunity-tags.ts';
import { searchKeys } from './049-search-keys.ts';
import { trashedReferences } from './050-trashed-references.ts';

/** All migrations in order. A released one is never edited: see CONTRIBUTING. */
export const migrations: readonly Migration[] = [
  organizations,
  records,
  customActivities,
  recordPositions,
  workflows,
  recordMatches,
  demoRequests,
  secrets,
  analyzeTable,
  dueByOrganization,
  chatClientUsage,
  events,
  idempotency,
  begunRuns,
  idempotencyPlan,
  signedTriggers,
  senders,
  people,
  idempotencyTogether,
  begunLimitedRuns,
  versionAuthors,
  attemptTimes,
  runTraces,
  signedPosts,
  deliveryCounts,
  demoData,
  runCounts,
  problemStates,
  eventDetails,
  senderProofs,
  keptPosts,
  refusedDeliveries,
  notices,
  reportedRefusals,
  runNotes,
  refusedStartNotes,
  schemaCompatibility,
  accountOwners,
  contactAccounts,
  contactOwners,
  opportunityLinks,
  checkedLinks,
  listKeys,
  trash,
  merges,
  erasedAnswers,
  mergeSteps,
  settingsIndexes,
  accountTags,
  contactTags,
  opportunityTags,
  searchKeys,
  trashedReferences,
];

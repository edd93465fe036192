import { z } from 'zod';
import { defaulted, optional, required } from '../fields/field.ts';
import { ofRange, ofValue } from '../lists/list-spec.ts';
import { mergeable, resource } from '../resource.ts';
import { user } from './user.ts';
import { shortText, nameText, tags, text, uuid } from '../fields/text.ts';

const relationshipTypes = ['prospect', 'customer', 'partner', 'investor'] as const;
const salesStatuses = ['lead', 'working', 'pipeline', 'renewal_growth', 'closed_lost', 'churned'] as const;

const declared = resource({
  name: 'account',
  plural: 'accounts',
  tag: { name: 'Accounts', description: 'Companies.' },
  description: 'A company.',
  fields: {
    account_name: required(nameText().meta({ description: 'Name of the company.' })),
    domain: optional(shortText().meta({ description: 'Domain of its website.' })),
    linkedin_url: optional(shortText()),
    address: optional(shortText()),
    city: optional(shortText()),
    state: optional(shortText()),
    country: optional(shortText()),
    relationship_type: optional(z.enum(relationshipTypes)),
    sales_status: optional(z.enum(salesStatuses)),
    icp_label: optional(shortText().meta({ description: 'How well it fits the ideal customer profile.' })),
    tags: defaulted(tags()),
    owner_id: optional(uuid().meta({ description: 'The user who is responsible for it.' })),
  },
  references: { owner_id: user },
  filters: {
    domain: text({ max: 2_048 }).meta({ description: 'The complete domain, case-insensitive.' }),
  },
  list: {
    sorts: ['account_name', 'created_at', 'updated_at'],
    filters: {
      id: ['in'],
      domain: ['in'],
      account_name: ['equals', 'prefix'],
      sales_status: ofValue,
      owner_id: ofValue,
      crm_id: ['equals', 'in'],
      tags: ['any', 'all'],
      created_at: ofRange,
      updated_at: ofRange,
    },
    search: ['account_name', 'domain'],
  },
  cascades: true,
  matches: { domain: text({ min: 1, max: 2_048 }), account_name: nameText() },
  exampleMatch: { crm_id: '0015g00000XyZ' },
  example: {
    account_name: 'Example Robotics',
    domain: 'robotics.example',
    city: 'Zürich',
    country: 'Switzerland',
    relationship_type: 'prospect',
    sales_status: 'lead',
    tags: ['inbound', 'robotics'],
  },
  examplePatch: { sales_status: 'working', icp_label: null },
});

export const account = mergeable(declared, {
  domain: 'the domain, in any case, without scheme, `www.`, port and path.',
  account_name: 'the name, in any case.',
  crm_id: 'the exact id.',
});

export type Account = z.output<typeof account.record>;

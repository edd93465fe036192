import type { z } from 'zod';
import { defaulted, optional, required } from '../fields/field.ts';
import { ofRange, ofValue } from '../lists/list-spec.ts';
import { mergeable, resource } from '../resource.ts';
import { account } from './account.ts';
import { user } from './user.ts';
import { emailAddress, shortText, nameText, tags, text, uuid } from '../fields/text.ts';

const declared = resource({
  name: 'contact',
  plural: 'contacts',
  tag: { name: 'Contacts', description: 'People.' },
  description: 'A person.',
  fields: {
    first_name: required(nameText()),
    middle_name: optional(nameText()),
    last_name: required(nameText()),
    title: optional(shortText().meta({ description: 'Job title.' })),
    email: optional(emailAddress()),
    phone: optional(shortText()),
    company: optional(shortText()),
    linkedin_url: optional(shortText()),
    location: optional(shortText()),
    city: optional(shortText()),
    state: optional(shortText()),
    country: optional(shortText()),
    tags: defaulted(tags()),
    icp_label: optional(shortText().meta({ description: 'How well the person fits the ideal customer profile.' })),
    account_id: optional(uuid().meta({ description: 'The account that the person works for.' })),
    owner_id: optional(uuid().meta({ description: 'The user who is responsible for the person.' })),
  },
  references: { account_id: account, owner_id: user },
  filters: {
    email: text({ max: 2_048 }).meta({ description: 'The complete address, case-insensitive.' }),
  },
  list: {
    sorts: ['last_name', 'created_at', 'updated_at'],
    filters: {
      id: ['in'],
      email: ['in'],
      last_name: ['equals', 'prefix'],
      account_id: ofValue,
      owner_id: ofValue,
      crm_id: ['equals', 'in'],
      tags: ['any', 'all'],
      created_at: ofRange,
      updated_at: ofRange,
    },
    search: ['first_name', 'middle_name', 'last_name', 'email', 'company'],
  },
  matches: { email: emailAddress() },
  exampleMatch: { crm_id: '0035g00000XyZ' },
  example: {
    first_name: 'Ada',
    last_name: 'Lovelace',
    title: 'Head of Engines',
    email: 'ada@robotics.example',
    company: 'Example Robotics',
    tags: ['vip'],
  },
  examplePatch: { title: 'Chief Engineer', phone: null },
});

export const contact = mergeable(declared, {
  email: 'the address, in any case.',
  crm_id: 'the exact id.',
  name_company: 'first name, last name and company, in any case. Contacts without a company are left out.',
});

export type Contact = z.output<typeof contact.record>;

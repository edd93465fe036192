import { z } from 'zod';
import { dataOf, listOf, listQuery } from './list.ts';
import { operation } from './operation.ts';
import { pathId } from './path-id.ts';
import { nullish, optional, readOnlyFields, recordFields } from './record.ts';
import { emailText, lineText, nameText, tags, text } from './text.ts';

const required = {
  first_name: nameText(),
  last_name: nameText(),
};

const plain = {
  middle_name: nameText(),
  title: lineText().meta({ description: 'Job title.' }),
  email: emailText(),
  phone: lineText(),
  company: lineText(),
  linkedin_url: lineText(),
  location: lineText(),
  city: lineText(),
  state: lineText(),
  country: lineText(),
  icp_label: lineText().meta({ description: 'How well the person fits the ideal customer profile.' }),
};

const { id, ...trailing } = recordFields;

export const Contact = z
  .object({ id, ...required, ...optional(plain), tags: tags(), ...trailing })
  .meta({ id: 'Contact', description: 'A person.' });

const writable = nullish({ ...plain, tags: tags() });

const example = {
  first_name: 'Ada',
  last_name: 'Lovelace',
  title: 'Head of Engines',
  email: 'ada@robotics.example',
  company: 'Example Robotics',
  tags: ['vip'],
};

export const ContactCreate = z
  .strictObject({ ...readOnlyFields, ...required, ...writable })
  .meta({ id: 'ContactCreate', examples: [example] });

export const ContactUpdate = z
  .strictObject({ ...readOnlyFields, ...optional(required), ...writable })
  .meta({ id: 'ContactUpdate', examples: [{ title: 'Chief Engineer', phone: null }] });

export type Contact = z.output<typeof Contact>;

const shared = { tag: 'Contacts' } as const;

export const listContacts = operation({
  ...shared,
  id: 'listContacts',
  method: 'get',
  path: '/v1/records/contacts',
  summary: 'List contacts',
  description: 'In ascending order of id, which is the order of creation.',
  scope: 'records:read',
  query: listQuery({
    email: text({ max: 2_048 }).optional().meta({ description: 'The whole address, in any case of letters.' }),
  }),
  success: { status: 200, description: 'A page of contacts.', body: listOf(Contact) },
});

export const createContact = operation({
  ...shared,
  id: 'createContact',
  method: 'post',
  path: '/v1/records/contacts',
  summary: 'Create a contact',
  scope: 'records:write',
  body: ContactCreate,
  example,
  success: { status: 201, description: 'The contact, created.', body: dataOf(Contact) },
});

export const getContact = operation({
  ...shared,
  id: 'getContact',
  method: 'get',
  path: '/v1/records/contacts/{id}',
  summary: 'Read a contact',
  scope: 'records:read',
  params: pathId,
  success: { status: 200, description: 'The contact.', body: dataOf(Contact) },
});

export const updateContact = operation({
  ...shared,
  id: 'updateContact',
  method: 'patch',
  path: '/v1/records/contacts/{id}',
  summary: 'Change a contact',
  description: 'A JSON merge patch: what is absent stays, `null` clears an optional field, arrays are replaced whole.',
  scope: 'records:write',
  params: pathId,
  body: ContactUpdate,
  example: { title: 'Chief Engineer', phone: null },
  success: { status: 200, description: 'The contact, as it is now.', body: dataOf(Contact) },
});

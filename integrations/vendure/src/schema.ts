/** What the plugin adds to Vendure's GraphQL APIs. Points are `Float`, because a balance may be above what an `Int` holds. */
import { parse } from 'graphql';

const shared = `
  type LoyaltyOrderCode {
    "14 digits, as the customer types them."
    code: String!
    title: String!
  }
`;

export const shopSchema = parse(`
  ${shared}

  enum LoyaltyAccountState {
    "Nobody is signed in at the shop."
    NOT_SIGNED_IN
    "The customer has not proved to the shop that the address is theirs."
    ADDRESS_NOT_PROVED
    "The address has never signed in at the loyalty program: requestLoyaltyCode and joinLoyalty."
    NOT_A_MEMBER
    MEMBER
    "The loyalty service does not answer. Show the page without it."
    UNAVAILABLE
  }

  "What an account page shows. Everything but the state is empty unless the state is MEMBER."
  type LoyaltyAccount {
    state: LoyaltyAccountState!
    points: Float
    expiring: LoyaltyExpiringPoints
    waiting: [LoyaltyWaitingPoints!]!
    tier: LoyaltyTier
    stamps: [LoyaltyStampCard!]!
    "What points can buy, dearest last."
    catalog: [LoyaltyBenefit!]!
    "Codes that can be used."
    codes: [LoyaltyCode!]!
  }

  type LoyaltyCode {
    "14 digits, as the customer types them."
    code: String!
    title: String!
    "The last moment to use it."
    expiresAt: DateTime
  }

  type LoyaltyExpiringPoints {
    points: Float!
    on: DateTime!
  }

  type LoyaltyWaitingPoints {
    points: Float!
    "Null if they wait for the shop to confirm the order."
    availableAt: DateTime
  }

  type LoyaltyTier {
    name: String
    multiplier: Float
    expiresAt: DateTime
    nextName: String
    "The points or the money of a lifetime at which the next one is reached."
    nextThreshold: Float
  }

  type LoyaltyStampCard {
    id: String!
    title: String!
    have: Int!
    need: Int!
    owes: Int!
    benefit: String!
  }

  type LoyaltyBenefit {
    id: String!
    title: String!
    description: String!
    "In points."
    cost: Float!
    image: String
  }

  "What a cart or a product earns."
  type LoyaltyPreview {
    points: Float!
    explanation: String!
  }

  extend type Order {
    "The codes of the loyalty program in this order. They are among couponCodes too."
    loyaltyCodes: [LoyaltyOrderCode!]!
    "Null if the loyalty service does not answer."
    loyaltyPreview: LoyaltyPreview
  }

  extend type Query {
    loyaltyAccount: LoyaltyAccount!
    "What a product earns the customer, or anybody who is not signed in. Null if the loyalty service does not answer."
    loyaltyPreview(productVariantId: ID!, quantity: Int): LoyaltyPreview
  }

  extend type Mutation {
    "Buys a benefit with points. Repeated with the same key, it is bought once."
    buyLoyaltyBenefit(benefitId: String!, key: String): LoyaltyCode!
    "Sends the signed-in customer a sign-in code of the loyalty program by e-mail."
    requestLoyaltyCode: Boolean!
    "Signs the customer in at the loyalty program with that code, once for ever. Joins the program."
    joinLoyalty(code: String!): LoyaltyAccount!
  }
`);

export const adminSchema = parse(`
  ${shared}

  "How the connection to the loyalty service is."
  type LoyaltyHealth {
    "Why the service cannot be used, in its words; null if it answers and knows the key."
    serviceError: String
    "Orders that are still to be sent."
    waiting: Int!
    "Orders that the service refuses as they are."
    failed: Int!
    "Since when the oldest of those that wait has been waiting."
    oldest: DateTime
    "Up to when changes were looked for."
    sweptUntil: DateTime
    failedOrders: [LoyaltyFailedOrder!]!
    "Where the shop's people look after the program."
    consoleUrl: String!
  }

  type LoyaltyFailedOrder {
    orderId: ID!
    "In the words of the service."
    error: String!
    notedAt: DateTime!
    "Null if it was given up."
    nextTry: DateTime
  }

  type LoyaltyCustomer {
    "The nine digits of the card."
    clientCode: String!
    points: Float!
    "Points that cannot be spent yet."
    waiting: Float!
    "The name of the tier."
    tier: String
    codes: [LoyaltyCustomerCode!]!
    purchases: [LoyaltyPurchase!]!
    "Where staff add or take points."
    consoleUrl: String!
  }

  type LoyaltyCustomerCode {
    code: String!
    title: String!
    expiresAt: DateTime
    used: Boolean!
  }

  type LoyaltyPurchase {
    date: DateTime!
    amount: Float!
    points: Float!
    "The code of the order, of purchases in this shop."
    externalId: String
    explanation: String!
  }

  extend type Order {
    loyaltyCodes: [LoyaltyOrderCode!]!
  }

  extend type Query {
    loyaltyHealth: LoyaltyHealth!
    "Null if the address of the customer is not known to the loyalty program, or the service does not answer."
    loyaltyCustomer(customerId: ID!): LoyaltyCustomer
  }

  extend type Mutation {
    "Sends orders again that were given up: these, or the latest hundred. Returns how many."
    sendLoyaltyOrdersAgain(orderIds: [ID!]): Int!
  }
`);

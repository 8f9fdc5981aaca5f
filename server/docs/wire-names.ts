/** Names that exist only in the SDK: parts of answers, by where they stand. */
export interface Names {
  /** Schemas that callers never see as such. */
  readonly leftOut: readonly string[];
  readonly named: Readonly<Record<string, string>>;
  /** Lines to add. */
  readonly also: readonly string[];
}

export const SHOP_NAMES: Names = {
  leftOut: ['ValidationProblem'],
  named: { HistoryKind: 'HistoryItem.kind' },
  also: ["export type BenefitKind = Benefit['type'];"],
};

export const ADMIN_NAMES: Names = {
  leftOut: ['ValidationProblem'],
  named: {
    StaffRole: 'StaffCommerce.role',
    BenefitKind: 'TillVoucher.type',
    MemberState: 'FoundMember.state',
    VoucherState: 'TillVoucher.state',
    MovementKind: 'MemberMovement.kind',
    Cause: 'MemberMovement.by',
    ApiKeyState: 'ApiKey.state',
    KeyScope: 'ApiKey.scopes[]',
    EventTypeName: 'Webhook.types[]',
    WebhookScope: 'Webhook.scopes[]',
    WebhookDeliveryState: 'WebhookDelivery.state',
    ShopOrderStatus: 'ShopOrder.status',
    OrderWriteKind: 'OrderWrite.kind',
    MessageKind: 'MessageState.kind',
    MessageLanguage: 'Messages.language',
    ProgramTier: 'Program.levels.ladder[]',
    ProgramReward: 'Program.rewards.welcome',
    ProgramBenefit: 'Program.benefits[]',
    MailWords: 'Program.mail.words.invitation',
    ReportStep: 'ReportRange.by',
    PointsFigures: 'PointsReport.total',
    MembersFigures: 'MembersReport.total',
    PurchasesFigures: 'PurchasesReport.total',
    LiabilityFigures: 'LiabilityReport.total',
    BenefitsFigures: 'BenefitsReport.total',
    BenefitReportLine: 'BenefitsReport.benefits[]',
    LevelsFigures: 'LevelsReport.total',
    LevelReportLine: 'LevelsReport.levels[]',
    HomeFigures: 'ReportOverview.of_today',
    Attention: 'ReportOverview.attention[]',
    ReportLink: 'LevelsReport.levels[].link',
    ReportMovementKind: 'LevelsReport.levels[].link|0.kind',
    ReportPeopleKind: 'LevelsReport.levels[].link|1.kind',
    ReportMemberSearch: 'LevelsReport.levels[].link|2.search',
    ReportMovement: 'ReportMovements.results[]',
    ReportPeopleLine: 'ReportPeople.results[]',
    SetUpAnswers: 'SetUp.answers',
    SetUpStep: 'SetUp.answers.step',
    FirstBenefit: 'SetUp.answers.benefit',
  },
  also: [],
};

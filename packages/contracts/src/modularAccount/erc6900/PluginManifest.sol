// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Describes what a plugin adds to an account, and what it requires (ERC-6900 v0.7).
struct PluginManifest {
    /// ERC-165 ids that the account supports while the plugin is installed.
    bytes4[] interfaceIds;
    /// ERC-165 ids of the plugins that this one depends on, in the order in which an install names them.
    bytes4[] dependencyInterfaceIds;
    /// Functions that the account forwards to the plugin.
    bytes4[] executionFunctions;
    /// Functions of other plugins that this one may call through executeFromPlugin.
    bytes4[] permittedExecutionSelectors;
    /// Permits calls of any address through executeFromPluginExternal.
    bool permitAnyExternalAddress;
    /// Permits sending the account's own ether along.
    bool canSpendNativeToken;
    ManifestExternalCallPermission[] permittedExternalCalls;
    ManifestAssociatedFunction[] userOpValidationFunctions;
    ManifestAssociatedFunction[] runtimeValidationFunctions;
    ManifestAssociatedFunction[] preUserOpValidationHooks;
    ManifestAssociatedFunction[] preRuntimeValidationHooks;
    ManifestExecutionHook[] executionHooks;
}

struct ManifestExternalCallPermission {
    address externalAddress;
    /// Permits any function of the address; else those of `selectors`.
    bool permitAnySelector;
    bytes4[] selectors;
}

struct ManifestAssociatedFunction {
    bytes4 executionSelector;
    ManifestFunction associatedFunction;
}

struct ManifestExecutionHook {
    bytes4 executionSelector;
    ManifestFunction preExecHook;
    ManifestFunction postExecHook;
}

struct ManifestFunction {
    ManifestAssociatedFunctionType functionType;
    /// Id of the plugin's function, for SELF.
    uint8 functionId;
    /// Index of the install's dependency, for DEPENDENCY.
    uint256 dependencyIndex;
}

enum ManifestAssociatedFunctionType {
    NONE,
    SELF,
    DEPENDENCY,
    /// Allows any caller; for runtime validation only.
    RUNTIME_VALIDATION_ALWAYS_ALLOW,
    /// Denies every caller; for hooks that run before only.
    PRE_HOOK_ALWAYS_DENY
}

struct PluginMetadata {
    string name;
    string version;
    string author;
    SelectorPermission[] permissionDescriptors;
}

/// Describes for people what a function of the plugin permits its caller to do.
struct SelectorPermission {
    bytes4 functionSelector;
    string permissionDescription;
}

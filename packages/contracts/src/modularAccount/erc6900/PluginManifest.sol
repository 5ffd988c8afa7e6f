// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// ERC-6900 v0.7: what a plugin brings to an account, and what it asks of it.
struct PluginManifest {
    /// ERC-165 ids the account supports while the plugin is installed.
    bytes4[] interfaceIds;
    /// ERC-165 ids of the plugins this one builds on, in the order in which an install names them.
    bytes4[] dependencyInterfaceIds;
    /// Functions the account passes on to the plugin.
    bytes4[] executionFunctions;
    /// Other plugins' functions this one may call through executeFromPlugin.
    bytes4[] permittedExecutionSelectors;
    /// May call any address through executeFromPluginExternal.
    bool permitAnyExternalAddress;
    /// May send the account's own ether along.
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
    /// Any function of the address; else those of `selectors`.
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
    /// Of this plugin's function, for SELF.
    uint8 functionId;
    /// Which of the install's dependencies it is, for DEPENDENCY.
    uint256 dependencyIndex;
}

enum ManifestAssociatedFunctionType {
    NONE,
    SELF,
    DEPENDENCY,
    /// Only for runtime validation: any caller may.
    RUNTIME_VALIDATION_ALWAYS_ALLOW,
    /// Only for hooks that run before: no caller may.
    PRE_HOOK_ALWAYS_DENY
}

struct PluginMetadata {
    string name;
    string version;
    string author;
    SelectorPermission[] permissionDescriptors;
}

/// What a function of the plugin lets its caller do, for people.
struct SelectorPermission {
    bytes4 functionSelector;
    string permissionDescription;
}

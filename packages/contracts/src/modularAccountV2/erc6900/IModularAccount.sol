// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

struct Call {
    address target;
    uint256 value;
    bytes data;
}

struct ManifestExecutionFunction {
    bytes4 executionSelector;
    /// Anyone may call it.
    bool skipRuntimeValidation;
    bool allowGlobalValidation;
}

struct ManifestExecutionHook {
    bytes4 executionSelector;
    uint32 entityId;
    bool isPreHook;
    bool isPostHook;
}

struct ExecutionManifest {
    ManifestExecutionFunction[] executionFunctions;
    ManifestExecutionHook[] executionHooks;
    bytes4[] interfaceIds;
}

struct ExecutionDataView {
    address module;
    bool skipRuntimeValidation;
    bool allowGlobalValidation;
    bytes25[] executionHooks;
}

struct ValidationDataView {
    uint8 validationFlags;
    bytes25[] validationHooks;
    bytes25[] executionHooks;
    bytes4[] selectors;
}

/// Declares an account of ERC-6900 v0.8. Its modules' functions are named by bytes24 (see `Encoding`).
interface IModularAccount {
    event ExecutionInstalled(address indexed module, ExecutionManifest manifest);
    event ExecutionUninstalled(address indexed module, bool onUninstallSucceeded, ExecutionManifest manifest);
    event ValidationInstalled(address indexed module, uint32 indexed entityId);
    event ValidationUninstalled(address indexed module, uint32 indexed entityId, bool onUninstallSucceeded);

    function execute(address target, uint256 value, bytes calldata data) external payable returns (bytes memory result);

    function executeBatch(Call[] calldata calls) external payable returns (bytes[] memory results);

    /// Calls the account with `data`, approved by the validation that `authorization` begins with.
    function executeWithRuntimeValidation(bytes calldata data, bytes calldata authorization)
        external
        payable
        returns (bytes memory);

    function installExecution(
        address module,
        ExecutionManifest calldata manifest,
        bytes calldata moduleInstallData
    ) external;

    function uninstallExecution(
        address module,
        ExecutionManifest calldata manifest,
        bytes calldata moduleUninstallData
    ) external;

    function installValidation(
        bytes25 validationConfig,
        bytes4[] calldata selectors,
        bytes calldata installData,
        bytes[] calldata hooks
    ) external;

    function uninstallValidation(
        bytes24 validationFunction,
        bytes calldata uninstallData,
        bytes[] calldata hookUninstallData
    ) external;

    function accountId() external view returns (string memory);
}

interface IModularAccountView {
    function getExecutionData(bytes4 selector) external view returns (ExecutionDataView memory data);

    function getValidationData(bytes24 validationFunction) external view returns (ValidationDataView memory data);
}
